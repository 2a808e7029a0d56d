#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct DisasmOptions {
  std::filesystem::path file;  ///< package, build folder or code object
  std::string kernel;
  std::string target;  ///< of a package; may be empty where it has the kernel for one target only
  bool json = false;
  std::string from = {};  ///< the module, where several of a binary have the kernel
};

/// Prints a kernel's instructions, with the lines of source that they come from where the code object says, or its PTX.
/// Throws BadInput, also for cubins, which LLVM does not read, Error(bad_package), DiskError.
int run_disasm(const DisasmOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
