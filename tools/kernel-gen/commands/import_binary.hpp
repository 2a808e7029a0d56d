#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct ImportBinaryOptions {
  Paths paths;
  std::filesystem::path binary;
  std::vector<std::string> kernels;  ///< globs; of each kernel the symbol or the source's name must match one
  std::vector<std::string> targets;  ///< "gfx90a", "gfx90a:xnack-"; empty: all that the binary has code for
  std::vector<std::string> from;     ///< modules, as `ls` names them; empty: all
  std::filesystem::path out;
};

/// Writes a package of the code objects that hold these kernels, as builds write theirs. Throws BadInput, DiskError; nothing is
/// written then. exit_failure where a part of the binary could not be read.
int run_import_binary(const ImportBinaryOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
