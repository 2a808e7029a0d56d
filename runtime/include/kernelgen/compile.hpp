#pragma once
#include <cstdint>
#include <string>
#include <utility>
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

/// Options of Device::compile_manifest.
struct ManifestOptions {
  /// What messages call the manifest, such as the path of its file.
  std::string name = "manifest.json";
  /// Names and texts of headers of your own, which the manifest and the headers themselves may include.
  std::vector<std::pair<std::string, std::string>> headers = {};
  /// As in CompileOptions. What the manifest and the headers say is part of the key.
  bool is_cached = true;
};

}  // namespace kernelgen
