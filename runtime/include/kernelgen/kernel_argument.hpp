#pragma once
#include <cstdint>

namespace kernelgen {

/// Where an argument lies in a kernel's argument block. In bytes.
struct KernelArgument {
  std::uint32_t offset;
  std::uint32_t size;

  bool operator==(const KernelArgument&) const = default;
};

}  // namespace kernelgen
