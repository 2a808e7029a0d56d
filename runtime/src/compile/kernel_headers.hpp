#pragma once
#include <string_view>
#include <vector>

namespace kernelgen {

/// A header of kernels/, as sources include it: "device/math.hpp".
struct KernelHeader {
  const char* name;
  std::string_view text;  ///< with a zero behind it
};

/// Those that the library was built with, which it holds itself. Thread-safe.
const std::vector<KernelHeader>& kernel_headers();

}  // namespace kernelgen
