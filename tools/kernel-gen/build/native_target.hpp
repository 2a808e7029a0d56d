#pragma once
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/process.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// Names of the targets of this machine's own GPUs, for `--target native` alone: nothing else in the tool
/// looks for a GPU. AMD GPUs are read from the kernel driver's topology, NVIDIA ones asked of nvidia-smi.
/// Throws BadInput without a GPU, or if the table does not contain it.
std::vector<std::string> native_targets(const TargetTable& table, const Disk& disk, ProcessRunner& runner);

}  // namespace kernelgen::tool
