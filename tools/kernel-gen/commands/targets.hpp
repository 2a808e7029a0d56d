#pragma once
#include <cstdio>

#include "base/disk.hpp"
#include "commands/places.hpp"

namespace kernelgen::tool {

/// Prints the table of targets and groups. Throws BadInput, DiskError.
int run_targets(const Places& places, bool json, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
