#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "manifest/kernel.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// A file to be, relative to the output folder.
struct EmittedFile {
  std::filesystem::path path;
  std::string text;
};

/// Where the modules' sources lie in the output folder.
inline constexpr char source_folder[] = "hip";

/// Every file that the kernels and targets make: hip/MODULE.hip, kernelgen_registry.h and .c, registry.json,
/// targets.inc.
std::vector<EmittedFile> emit_files(const KernelSet& set, const TargetTable& targets);

}  // namespace kernelgen::tool
