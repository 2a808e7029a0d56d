#pragma once
#include <string_view>
#include <vector>

#include "common/content_hash.hpp"

namespace kernelgen {

/// A header of kernels/, as sources include it: "device/math.hpp".
struct KernelHeader {
  const char* name;
  std::string_view text;  ///< NUL-terminated
};

/// The headers embedded in the library at build time. Thread-safe.
const std::vector<KernelHeader>& kernel_headers();

/// Of all of them: compilers do not report which ones they read. Thread-safe.
ContentHash kernel_headers_hash();

}  // namespace kernelgen
