#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct PruneOptions {
  Paths paths;
  std::filesystem::path package;
  std::vector<std::string> keep;  ///< targets, globs over them, groups of the table
  std::filesystem::path out;      ///< a file *.kgpkg, or a folder; for a file of others a file
  bool compress = false;          ///< a file of others: write its bundles compressed
  bool in_place = false;          ///< a file of others: replace it
  std::vector<std::string> operations =
      {};              ///< of a package: names, globs over them, "@FILE" with such words
  bool solid = false;  ///< of a package: compress all code of a target at once
};

/// Writes a package with some of another's targets and operations: the bytes that a build for those would write, but for the
/// recorded hash of sources, which stays that of all. Or a program, library or offload bundle
/// of others with some of its targets. Throws BadInput, Error(bad_package), DiskError; nothing is written then.
int run_prune(const PruneOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
