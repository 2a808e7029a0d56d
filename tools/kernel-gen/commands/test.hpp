#pragma once
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "commands/build.hpp"

namespace kernelgen::tool {

struct TestOptions {
  BuildOptions build;                          ///< of the package, where none is given
  std::vector<std::filesystem::path> shipped;  ///< manifests with the library's copy, for strided inputs
  std::vector<std::string> operations;         ///< empty: all that have a reference
  std::filesystem::path package;               ///< empty: one is built
  std::string device = "cpu";
  std::uint64_t seed = 1;
  std::optional<unsigned> cases;  ///< of each combination of dtypes; nothing: 12, on simulated GPUs 3
  bool json = false;
};

/// Runs the manifests' operations that have a "reference" on drawn shapes, dtypes and layouts, and compares. Prints what differs,
/// with seed and shapes. Gives exit_failure if anything did. Throws BadInput, BuildFailed, Error, DiskError.
int run_test(const TestOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
             std::FILE* out);

}  // namespace kernelgen::tool
