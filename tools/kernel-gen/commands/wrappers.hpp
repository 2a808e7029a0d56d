#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "emit/emit.hpp"

namespace kernelgen::tool {

/// Typed functions for the kernels of a package that belong to no operation: NAME.hpp and NAME.rs. An empty name stands for
/// that of the package's file or build folder. Throws BadInput for a name that is none of C++ and for a package without
/// such kernels, Error(bad_package), DiskError.
std::vector<EmittedFile> wrapper_files(const std::filesystem::path& package, std::string name,
                                       const Disk& disk);

}  // namespace kernelgen::tool
