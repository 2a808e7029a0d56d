#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "commands/places.hpp"

namespace kernelgen::tool {

struct VerifyOptions {
  std::filesystem::path package;
  Places places;
  std::vector<std::string> only;
  bool json = false;
};

/// Checks a package's structure and hashes, and that every kernel of the manifests is in it, for every target
/// it holds, with the manifest's arguments. Prints how each operation fares on each target, then what is wrong.
/// Gives exit_ok or exit_failure. Throws BadInput, DiskError; a damaged package is a finding, not an error.
int run_verify(const VerifyOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
