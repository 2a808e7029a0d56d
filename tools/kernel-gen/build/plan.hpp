#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/disk.hpp"
#include "build/compile.hpp"
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
  CommandLine launcher;         ///< what starts each compiler: ccache, distcc; may be empty
};

/// The jobs of a plan, target after target, and what they are made from.
struct PlannedJobs {
  std::vector<Source> sources;                              ///< one a module
  std::vector<std::vector<std::filesystem::path>> bitcode;  ///< one list a target
  std::vector<CompileJob> jobs;
  Json targets;  ///< a row of the provenance each: name, compiler, command
};

/// Writes missing bitcode and determines the inputs of each compile. Throws DiskError.
PlannedJobs plan_jobs(const BuildPlan& plan, Disk& disk, ProcessRunner& runner);

/// A hash of all inputs of the jobs' compiles.
Hash128 fingerprint(const PlannedJobs& planned);

/// The file that `kernel-gen plan` writes next to the objects that others compile.
inline constexpr std::string_view planned_record = "planned";

/// Writes the job's source and assembles its commands. Throws DiskError.
void prepare(const BuildPlan& plan, PlannedJobs& planned, std::size_t job, Disk& disk);

}  // namespace kernelgen::tool
