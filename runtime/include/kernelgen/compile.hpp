#pragma once
#include <string>
#include <vector>

namespace kernelgen {

/// Options of Device::compile.
struct CompileOptions {
  /// The source's name in compiler messages. No quotes, backslashes or control characters.
  std::string name = "source";
  /// Compiler flags, appended to the library's own: "-DWIDTH=4", "-I/my/headers".
  std::vector<std::string> flags = {};
  /// Whether the result is cached on disk (in KERNELGEN_CACHE, else XDG_CACHE_HOME/kernelgen, else
  /// ~/.cache/kernelgen). Later processes use it as long as the source, the flags, kernels/ and the
  /// compiler's file are unchanged. Changes in your own files that the source includes are not detected.
  bool is_cached = true;
};

}  // namespace kernelgen
