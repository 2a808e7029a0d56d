#pragma once
#include <filesystem>
#include <string>

#include "commands/check.hpp"

namespace kernelgen::tool {

/// Launches the kernel that the options name with their arguments, through the functions of that HIP library. Gives why the
/// launch could not be made, or nothing. Throws BadInput.
std::string check_kernel(const CheckOptions& options, const std::filesystem::path& hip_library,
                         const Disk& disk);

}  // namespace kernelgen::tool
