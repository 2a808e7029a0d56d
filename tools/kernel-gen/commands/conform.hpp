#pragma once
#include <cstdio>
#include <filesystem>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct ConformOptions {
  Paths paths;
  std::filesystem::path before;  ///< the package that programs were made for
  std::filesystem::path after;   ///< the package they are to run with; empty: what the manifests make
  bool names_only = false;       ///< programs look kernels up by name, or are compiled again: ids may change
  bool json = false;
};

/// Prints what a program that was made for one package would not find, or not as it was, in another: kernels with their
/// arguments, largest blocks and ids; operations with their signatures, types and forms. More of any is fine. Gives
/// exit_failure where there is something, else exit_ok. Throws BadInput, Error(bad_package), DiskError.
int run_conform(const ConformOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
