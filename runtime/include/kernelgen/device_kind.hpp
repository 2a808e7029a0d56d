#pragma once
#include <cstdint>

namespace kernelgen {

/// The backend that runs the kernels. The numbers are part of the package format and of the C interface.
enum class DeviceKind : std::uint8_t { cpu = 0, hip = 1, cuda = 2 };

}  // namespace kernelgen
