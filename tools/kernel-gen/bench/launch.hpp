#pragma once
#include <cstdio>
#include <nlohmann/json_fwd.hpp>

#include "kernelgen/device.hpp"

namespace kernelgen::tool {

/// What the host pays: from an opened device to the end of the first launch of each family of operations, and
/// then for one small operation among many, compared with the driver's launch. Prints a table and returns its
/// figures: milliseconds by family, nanoseconds by kind of call. `device` has run nothing yet. Throws Error.
nlohmann::ordered_json bench_launches(const Device& device, std::FILE* out);

}  // namespace kernelgen::tool
