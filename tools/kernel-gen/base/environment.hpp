#pragma once
#include <filesystem>
#include <string>

#include "base/disk.hpp"
#include "common/environment.hpp"

namespace kernelgen::tool {

/// The first of the environment's PATH folders that holds `program`; empty when none does.
std::filesystem::path find_program(const Disk& disk, const Environment& environment,
                                   const std::string& program);

}  // namespace kernelgen::tool
