#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct InitOptions {
  std::filesystem::path folder;
  std::string name = {};  ///< of the project; empty: the folder's
  bool json = false;
};

/// Writes a project with custom kernels. Throws BadInput, with every file that is there already, and DiskError; nothing
/// of it is left then.
int run_init(const InitOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
