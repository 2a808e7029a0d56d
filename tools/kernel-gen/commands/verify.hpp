#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct VerifyOptions {
  std::filesystem::path package;
  /// Folders of manifests to compare with; empty: those the package records it was built from.
  std::vector<std::filesystem::path> manifests;
  /// What of `manifests` the package was built from; empty: all.
  std::vector<std::string> only;
  bool json = false;
};

/// Checks a package's structure and hashes, its tables against the manifests, and its code objects against both, for
/// every target it holds. Prints how each operation fares on each target, then what is wrong. Needs nothing but the
/// package. Gives exit_ok or exit_failure. Throws BadInput, DiskError; a damaged package is a finding, not an error.
int run_verify(const VerifyOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
