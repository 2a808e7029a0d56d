#pragma once
#include <cstdio>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/toolchain.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct DoctorOptions {
  Paths paths;
  ToolchainOptions toolchain;
  bool json = false;
};

/// Prints compilers, device bitcode and GPU runtimes found, and for each target whether it can be built and
/// if not what to install. Looks for no GPU. Gives exit_ok also where targets cannot be built. Throws
/// BadInput, DiskError.
int run_doctor(const DoctorOptions& options, const Disk& disk, ProcessRunner& runner,
               const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
