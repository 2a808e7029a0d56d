#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

struct DiffOptions {
  std::filesystem::path before;
  std::filesystem::path after;
  std::string target;  ///< empty: all
  /// What may not grow, or not by more than this: "spills", "size:+5%", "lds:+1024"; or not fall: "occupancy".
  std::vector<std::string> fail_on;
  bool json = false;
  std::filesystem::path machines;  ///< machines.json, for occupancy; empty: nothing is said of it
};

/// Prints what two packages have otherwise: targets, kernels, and what the code objects of both say of a kernel. Gives
/// exit_failure where something of `fail_on` happened, else exit_ok. Throws BadInput, Error(bad_package), DiskError.
int run_diff(const DiffOptions& options, const Disk& disk, std::FILE* out);

/// The same of packages that are open; `before` and `after` of the options are not read.
int run_diff(const Package& before, const Package& after, const DiffOptions& options, const Disk& disk,
             std::FILE* out);

}  // namespace kernelgen::tool
