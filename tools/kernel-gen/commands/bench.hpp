#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct BenchOptions {
  Paths paths;
  std::string device = "auto";
  std::string suite = "ops";
  std::string filter;             ///< only cases whose name holds this
  std::filesystem::path package;  ///< empty: as choose_package
  std::filesystem::path json;     ///< written too, where it is not empty
  int repetitions = 25;
};

/// Times the operations of the case file (paths.bench_cases) on a device: the median of the repetitions by the device's
/// clock, the caches flushed between, GB/s with each input read once and each output written once, and the share of a
/// copy: on a GPU of 256 MiB by the driver in the same run, on the CPU of a memcpy of as many bytes, in turns with the
/// operation. Each operation is first compared with the CPU device's result on a smaller shape; one that differs fails
/// the run. On a simulated GPU what they launch on that shape is counted in place of the time. The suite `launch` is
/// bench_launches(). Throws Error, BadInput, DiskError.
int run_bench(const BenchOptions& options, Disk& disk, const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
