#pragma once
#include <cstdint>
#include <string>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// An entry's "block", the maximum threads of a block; `otherwise` if it has none.
std::uint32_t read_block(const Node& owner, std::uint32_t otherwise);
/// An entry's "occupancy", which KG_RESIDENT_KERNEL in kernels/device/ turns into attributes; `otherwise` if it has none.
std::string read_occupancy(const Node& owner, const std::string& otherwise);
/// An entry's "budget"; the limits of `otherwise` that it does not give.
Budget read_budget(const Node& owner, Budget otherwise);

}  // namespace kernelgen::tool
