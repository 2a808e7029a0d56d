#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct DoctorBinaryOptions {
  Paths paths;
  std::filesystem::path file;
  std::string target;  ///< "gfx1100", "gfx90a:xnack+"; empty: all GPUs that there are
  std::string device;  ///< "hip:0" instead of a target
  bool json = false;
};

/// Says of a file or folder with code for AMD GPUs whether it runs on a GPU, by which code, and if not what helps; or, without a GPU,
/// which it has code for and what that takes. Gives exit_failure where it would not run or a part cannot be read. Throws BadInput, Error.
int run_doctor_binary(const DoctorBinaryOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
