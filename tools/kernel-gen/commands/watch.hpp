#pragma once
#include <cstdio>
#include <optional>

#include "commands/build.hpp"

namespace kernelgen::tool {

struct WatchOptions {
  BuildOptions build;
  std::optional<unsigned> rounds;  ///< changes after which it ends; nothing: it does not
  unsigned interval = 300;         ///< milliseconds between looks at the files
  bool json = false;               ///< each comparison as a JSON object
};

/// Builds the package, then again after each change of its manifests and of the files in its folder of kernels, and prints
/// what the package has otherwise. What is wrong with the sources is printed, and the next change waited for. SIGINT ends it.
/// Gives exit_failure if the last build failed. Throws Interrupted for other signals.
int run_watch(const WatchOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
              std::FILE* out);

}  // namespace kernelgen::tool
