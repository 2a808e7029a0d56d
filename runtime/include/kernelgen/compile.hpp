#pragma once
#include <string>
#include <vector>

namespace kernelgen {

/// How Device::compile compiles a source.
struct CompileOptions {
  /// What the compiler calls the source in its messages. No quotes, backslashes or control characters.
  std::string name = "source";
  /// For the compiler, behind the library's own: "-DWIDTH=4", "-I/my/headers".
  std::vector<std::string> flags = {};
  /// Whether the result is kept on disk (below KERNELGEN_CACHE, else XDG_CACHE_HOME/kernelgen, else ~/.cache/kernelgen)
  /// and found there by the next process, as long as the source, the flags, kernels/ and the compiler's file are the
  /// same. Files of your own that the source includes are not looked at.
  bool is_cached = true;
};

}  // namespace kernelgen
