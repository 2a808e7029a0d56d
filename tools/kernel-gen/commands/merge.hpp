#pragma once
#include <cstdio>
#include <filesystem>
#include <vector>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct MergeOptions {
  Paths paths;
  std::vector<std::filesystem::path> packages;
  std::filesystem::path out;  ///< a file *.kgpkg, or a folder
};

/// Writes one package of several that have the same kernels for different targets, or different modules for the same
/// targets: the bytes that one build of all would write. Throws BadInput, Error(bad_package), DiskError; nothing is
/// written then.
int run_merge(const MergeOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
