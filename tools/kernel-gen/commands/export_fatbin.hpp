#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "commands/code_files.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen::tool {

/// The kernels' declarations for HIP programs: a header to be included after HIP's own.
std::string fatbin_header(const Package& package);

/// Writes kernels.o and kernels.hpp into the folder: an object of the host that holds the code of `files` in .hip_fatbin, a bundle a
/// module, and registers it and its kernels when a program starts, as clang does with a program's own. Throws BadInput
/// where no clang can make it, DiskError.
void write_fatbin(const Package& package, const std::vector<CodeFile>& files,
                  const std::filesystem::path& folder, Disk& disk, ProcessRunner& runner,
                  const Environment& environment);

}  // namespace kernelgen::tool
