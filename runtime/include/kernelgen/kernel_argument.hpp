#pragma once
#include <cstdint>

namespace kernelgen {

/// Offset and size of an argument in a kernel's argument block, in bytes.
struct KernelArgument {
  std::uint32_t offset;
  std::uint32_t size;

  bool operator==(const KernelArgument&) const = default;
};

}  // namespace kernelgen
