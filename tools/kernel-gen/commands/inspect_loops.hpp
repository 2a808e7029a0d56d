#pragma once
#include <cstdio>

#include "base/disk.hpp"
#include "code_object/loop_cost.hpp"
#include "commands/inspect.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// The figures of LoopCost as JSON.
Json loop_json(const LoopCost& cost);

/// `kernel-gen inspect --loops`: what the hottest loop of each kernel takes, on the GPUs that options.machines has figures
/// of. Throws BadInput, also where there is no such GPU's code, Error(bad_package) and DiskError.
int run_inspect_loops(const InspectOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
