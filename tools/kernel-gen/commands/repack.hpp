#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct RepackOptions {
  Paths paths;
  std::filesystem::path folder;
  std::vector<std::string> keep;  ///< targets, globs over them, groups of the table
  std::filesystem::path out;      ///< a folder that is not there yet; empty: in place
  bool compress = false;
  bool in_place = false;
};

/// Shrinks the programs, libraries and bundles of a folder, leaves out the files for one GPU that is not kept (code objects, and data whose
/// name ends in "_gfx90a.dat"), copies the rest, and prints what became of what. Files that could break are copied and named; the exit code
/// is exit_failure then. Each file is replaced in one step. Throws BadInput, DiskError.
int run_repack(const RepackOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
