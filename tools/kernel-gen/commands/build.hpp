#pragma once
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/packing.hpp"
#include "build/toolchain.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct BuildOptions {
  Paths paths;
  std::vector<std::string> targets = {"default"};
  std::vector<std::string> only;
  std::filesystem::path out = "kernelgen-package";
  /// Folder of objects that others compiled as `kernel-gen plan` says: nothing is compiled here. Empty: none.
  std::filesystem::path objects;
  std::filesystem::path depfile;  ///< a rule for make and ninja; empty: none
  std::filesystem::path sbom;     ///< what the package was made of, as SPDX; empty: none
  std::optional<unsigned> jobs;   ///< nothing: one a CPU, or what make's jobserver allows
  std::string launcher;           ///< words before each compiler; empty: KERNELGEN_LAUNCHER's
  bool verbose = false;
  bool quiet = false;    ///< print nothing but what is wrong
  bool explain = false;  ///< say of each object why it is compiled, or is not
  bool dry_run = false;  ///< print what would be compiled; write no package
  bool json = false;     ///< print one JSON object in the place of all else
  bool use_cache = true;
  Packing packing;        ///< `cache` and `jobs` are those of the build
  bool terminal = false;  ///< `out` stream is a terminal
  /// This program's file: another one may write another package from the same objects. Empty: not known.
  std::filesystem::path program;
  ToolchainOptions toolchain;
};

/// Compiles every module for every target, checks what came out and writes the package's folder, all or
/// nothing; a folder that holds that very package already is left as it is. Prints progress and a table of the
/// package. Throws BadInput, BuildFailed, Interrupted, DiskError; the folder is then as it was before.
void run_build(const BuildOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
               std::FILE* out);

}  // namespace kernelgen::tool
