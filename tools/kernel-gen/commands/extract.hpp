#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct ExtractOptions {
  std::filesystem::path package;
  std::string target;         ///< empty: all
  std::string module;         ///< empty: all
  std::filesystem::path out;  ///< a folder
};

/// Writes code objects of a package to files, TARGET/MODULE.hsaco, .so, .cubin or .ptx in a folder, all or nothing.
/// Throws BadInput, Error(bad_package), DiskError.
int run_extract(const ExtractOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
