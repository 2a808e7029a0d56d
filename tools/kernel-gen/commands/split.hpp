#pragma once
#include <cstdio>
#include <filesystem>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct SplitOptions {
  Paths paths;
  std::filesystem::path package;
  std::filesystem::path out;  ///< a folder
};

/// Writes a package for each target of another, TARGET.kgpkg, into a folder, all or nothing. `merge` of all of them is
/// the package again. Throws BadInput, Error(bad_package), DiskError.
int run_split(const SplitOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
