#pragma once
#include <cstdio>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

/// Prints the table of targets and groups. Throws BadInput, DiskError.
int run_targets(const Paths& paths, bool json, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
