#pragma once
#include <cstdio>
#include <filesystem>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "commands/build.hpp"

namespace kernelgen::tool {

struct PlanOptions {
  /// What is to be built. `objects` is the folder for sources and objects; empty: kernelgen-objects in the file's folder.
  /// `program` is this program, to be started again.
  BuildOptions build;
  std::filesystem::path ninja;  ///< the file to write
};

/// Writes a build.ninja whose commands make the package that run_build() would: a compile a module and target, a link
/// more on CPUs, then this program, which checks the objects and packs them. The file makes itself anew where manifests
/// change. Throws BadInput, DiskError.
void run_plan(const PlanOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
              std::FILE* out);

}  // namespace kernelgen::tool
