#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "manifest/kernel.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

struct EmittedFile {
  std::filesystem::path path;  ///< relative to the output folder
  std::string text;
};

/// The subfolder of the output folder for the modules' sources.
inline constexpr char source_folder[] = "hip";

/// What the project itself compiles: hip/MODULE.hip; the runtime's lists of targets and operations, targets.inc and
/// operations.inc; and, for manifests with "functions": true, the C++ functions of their operations: a public header in include/,
/// definitions in src/, names in functions.inc.
std::vector<EmittedFile> emit_sources(const KernelSet& set, const TargetTable& targets);
/// What programs that use the kernels compile or read: kernelgen_registry.h and .c, and registry.json.
std::vector<EmittedFile> emit_registry(const KernelSet& set, const TargetTable& targets);

}  // namespace kernelgen::tool
