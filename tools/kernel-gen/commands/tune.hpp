#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/toolchain.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct TuneOptions {
  Paths paths;
  ToolchainOptions toolchain;
  std::string operation;
  std::string device = "cpu";
  std::filesystem::path manifest;  ///< empty: the one in ./manifests that has the operation
  std::filesystem::path kernels;   ///< empty: the one next to the manifest's folder, else the shipped one
  std::uint64_t seed = 1;
  unsigned cases = 4;
  bool json = false;
};

/// Compiles an operation with every combination of the values that its constants list under "try", times each on calls that
/// are drawn, in turns, on a simulated GPU by the bound of its launches, and writes the best into the manifest's table for
/// the device's target. Nothing else of the file is changed, and nothing at all if the present values are as good. Prints
/// progress and a table. Throws BadInput: there is no such operation, it lists no values; Error, Interrupted, DiskError.
int run_tune(const TuneOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
             std::FILE* out);

}  // namespace kernelgen::tool
