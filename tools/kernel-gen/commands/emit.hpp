#pragma once
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct EmitOptions {
  std::vector<std::filesystem::path> manifests;  ///< folders
  std::filesystem::path kernels;                 ///< folder of the kernel bodies
  std::filesystem::path targets;                 ///< targets.json
  std::filesystem::path out;                     ///< the generated/ folder
  bool registry = false;                         ///< kernelgen_registry.h and .c and registry.json as well
  /// A package: its kernels' wrappers, nothing of manifests.
  std::optional<std::filesystem::path> wrappers = {};
  std::string name = {};  ///< of the wrappers' files and namespace; empty: the package's
  bool check = false;     ///< write nothing; report what an emit would change
  bool json = false;      ///< the report as JSON
};

/// What an emit did or, with `check`, would do: paths in the output folder, sorted.
struct EmitReport {
  std::vector<std::string> missing;  ///< did not exist before
  std::vector<std::string> differs;
  std::vector<std::string> stale;  ///< in hip/, but of no manifest
  std::size_t unchanged = 0;

  bool is_current() const { return missing.empty() && differs.empty() && stale.empty(); }
};

/// Writes the files of the manifests to the output folder, except those whose content is current, and removes stale ones. All
/// manifests are checked first: if BadInput is thrown, nothing is written. Throws DiskError.
EmitReport emit(const EmitOptions& options, Disk& disk);

/// emit(), with its report printed to `out`. Returns exit_ok, or exit_failure if `check` finds a difference.
int run_emit(const EmitOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
