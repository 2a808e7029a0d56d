#include "compile/kernel_headers.hpp"

#include <cstddef>
#include <span>

// Alternating names and texts, each NUL-terminated: kernel_headers.S, which runtime/CMakeLists.txt writes.
extern "C" {
extern const char kernelgen_kernel_headers_begin[];
extern const char kernelgen_kernel_headers_end[];
}

namespace kernelgen {

const std::vector<KernelHeader>& kernel_headers() {
  static const std::vector<KernelHeader> headers = [] {
    std::vector<KernelHeader> found;
    for (const char* at = kernelgen_kernel_headers_begin; at != kernelgen_kernel_headers_end;) {
      const std::string_view name = at;
      const std::string_view text = name.data() + name.size() + 1;
      found.push_back({name.data(), text});
      at = text.data() + text.size() + 1;
    }
    return found;
  }();
  return headers;
}

ContentHash kernel_headers_hash() {
  static const ContentHash hash = content_hash(std::as_bytes(
      std::span(kernelgen_kernel_headers_begin,
                static_cast<std::size_t>(kernelgen_kernel_headers_end - kernelgen_kernel_headers_begin))));
  return hash;
}

}  // namespace kernelgen
