#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "compile/compiler.hpp"

namespace kernelgen {

/// A manifest, and what it is compiled for.
struct ManifestRequest {
  std::string_view target;    ///< of the table of targets
  std::string_view name;      ///< what messages call the manifest
  std::string_view manifest;  ///< JSON
  std::span<const std::pair<std::string, std::string>>
      headers;  ///< names and texts of headers that it may name
};

/// A package of the manifest's operations: from the disk cache if `is_cached` and present, else built by `kernel-gen build`
/// and cached. KERNELGEN_TOOL names the program; else it is the one installed with this library, or in PATH. Throws
/// Error(invalid_argument) with what kernel-gen and its compilers say, at the manifest's lines; Error(unsupported) where
/// there is no kernel-gen, listing what was tried; Error(io).
CompiledCode compile_manifest(const ManifestRequest& request, bool is_cached);

}  // namespace kernelgen
