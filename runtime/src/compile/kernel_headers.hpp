#pragma once
#include <string_view>
#include <vector>

namespace kernelgen {

/// A header of kernels/, as sources include it: "device/math.hpp".
struct KernelHeader {
  const char* name;
  std::string_view text;  ///< NUL-terminated
};

/// The headers embedded in the library at build time. Thread-safe.
const std::vector<KernelHeader>& kernel_headers();

}  // namespace kernelgen
