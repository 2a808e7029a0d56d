#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/plan.hpp"
#include "build/toolchain.hpp"
#include "commands/build.hpp"
#include "manifest/manifest.hpp"

namespace kernelgen::tool {

/// What a build starts from: what manifests, the command line and this machine say.
struct BuildInputs {
  TargetTable table;  ///< of which `tools` name rows
  std::vector<TargetTools> tools;
  std::vector<Manifest> manifests;
  KernelSet set;    ///< as the registry has it
  KernelSet parts;  ///< as the package has it
};

/// What compilers answered is kept in `cache`, a folder; empty: nowhere. Throws BadInput, DiskError.
BuildInputs read_build_inputs(const BuildOptions& options, const std::filesystem::path& cache, Disk& disk,
                              ProcessRunner& runner, const Environment& environment);

/// The words before each compiler: the option's, else KERNELGEN_LAUNCHER's.
CommandLine launcher_words(const BuildOptions& options, const Environment& environment);

/// CCACHE_EXTRAFILES of the device bitcode, which ccache does not detect as an input. Empty without bitcode.
std::string path_list_of(const std::vector<std::filesystem::path>& files);

}  // namespace kernelgen::tool
