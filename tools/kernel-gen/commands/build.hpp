#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/toolchain.hpp"
#include "commands/places.hpp"

namespace kernelgen::tool {

struct BuildOptions {
  Places places;
  std::vector<std::string> targets = {"default"};
  std::vector<std::string> only;
  std::filesystem::path out = "kernelgen-package";
  unsigned jobs = 1;
  bool verbose = false;
  bool use_cache = true;
  bool terminal = false;  ///< `out` stream is a terminal
  ToolchainOptions toolchain;
};

/// Compiles every module for every target, checks what came out and writes the package's folder, all or
/// nothing. Prints progress and a table of the package. Throws BadInput, BuildFailed, Interrupted, DiskError;
/// the folder is then as it was before.
void run_build(const BuildOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
               std::FILE* out);

}  // namespace kernelgen::tool
