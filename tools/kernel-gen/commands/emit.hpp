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
  bool check = false;     ///< change nothing; say what an emit would change
  bool json = false;      ///< the report as JSON
};

/// What an emit did, or, with `check`, would do: paths in the output folder, sorted.
struct EmitReport {
  std::vector<std::string> missing;  ///< not there before
  std::vector<std::string> differs;
  std::vector<std::string> stale;  ///< in hip/, but no manifest makes it any more
  std::size_t unchanged = 0;

  bool is_current() const { return missing.empty() && differs.empty() && stale.empty(); }
};

/// Brings the output folder to what the manifests say; files that are right already are not touched.
/// Everything is read and checked first: nothing is written when anything throws BadInput. Throws DiskError.
EmitReport emit(const EmitOptions& options, Disk& disk);

/// emit(), with its report printed to `out`. Gives the exit code: exit_ok; exit_failure when `check` found
/// drift.
int run_emit(const EmitOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
