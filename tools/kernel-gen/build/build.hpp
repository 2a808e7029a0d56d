#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "build/compile.hpp"
#include "build/package_writer.hpp"
#include "build/schedule.hpp"
#include "build/toolchain.hpp"
#include "manifest/kernel.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// What a build is made of: a set of kernels, and for each target the tools that were found.
struct BuildPlan {
  const KernelSet& set;
  std::vector<TargetTools> tools;
  std::vector<std::filesystem::path> includes;
  std::filesystem::path cache;  ///< for sources and generated bitcode; may be empty or not to be written
  std::filesystem::path work;   ///< for objects, and for what the cache does not take
};

/// The jobs of a plan, target after target, and what they were made from.
struct PlannedJobs {
  std::vector<CompileJob> jobs;
  Json provenance;  ///< tool, compilers, flags, source hash; no path, no time
};

/// Writes the modules' sources and the bitcode that is missing, and puts the command lines together.
/// Throws DiskError.
PlannedJobs plan_jobs(const BuildPlan& plan, Disk& disk, ProcessRunner& runner);

/// Compiles what the cache does not have and checks every object against the manifests. Throws BuildFailed with
/// every compile that failed and everything that is not as it should be, Interrupted, DiskError.
std::vector<BuiltTarget> make_objects(const BuildPlan& plan, const PlannedJobs& planned, Schedule& schedule);

}  // namespace kernelgen::tool
