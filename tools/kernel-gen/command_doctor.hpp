#pragma once
#include <cstdio>

#include "disk.hpp"
#include "environment.hpp"
#include "places.hpp"
#include "process.hpp"
#include "toolchain.hpp"

namespace kernelgen::tool {

struct DoctorOptions {
  Places places;
  ToolchainOptions toolchain;
  bool json = false;
};

/// Prints compilers, device bitcode and GPU runtimes found, and for each target whether it can be built and
/// if not what to install. Looks for no GPU. Gives exit_ok also where targets cannot be built. Throws
/// BadInput, DiskError.
int run_doctor(const DoctorOptions& options, const Disk& disk, ProcessRunner& runner,
               const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
