#pragma once
#include <cstdint>

namespace kernelgen {

/// What runs the kernels. The numbers are those of packages and of the C interface.
enum class DeviceKind : std::uint8_t { cpu = 0, hip = 1, cuda = 2 };

}  // namespace kernelgen
