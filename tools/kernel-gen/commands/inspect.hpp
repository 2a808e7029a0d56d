#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct InspectOptions {
  std::filesystem::path file;  ///< package, build folder or code object
  std::string name;            ///< kernel or module; empty: all
  std::string target;          ///< of a package; empty: all
  bool json = false;
  bool loops = false;              ///< what kernels' hottest loops take, of AMD's code
  bool annotate = false;           ///< what the bytes of a package are
  std::filesystem::path machines;  ///< the figures of GPUs, for loops
};

/// Prints what code objects say of their kernels: arguments, registers, memory, spills, wave size. What it
/// prints is read from the code itself, not from the package's tables. Throws BadInput, Error(bad_package),
/// DiskError.
int run_inspect(const InspectOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
