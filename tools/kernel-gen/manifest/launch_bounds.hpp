#pragma once
#include <cstdint>
#include <string>

#include "manifest/node.hpp"

namespace kernelgen::tool {

/// An entry's "block", the largest number of threads a block is launched with; `otherwise` where it has none.
std::uint32_t read_block(const Node& owner, std::uint32_t otherwise);
/// An entry's "occupancy", the name of an attribute in kernels/device/; `otherwise` where it has none.
std::string read_occupancy(const Node& owner, const std::string& otherwise);

}  // namespace kernelgen::tool
