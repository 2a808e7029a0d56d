#pragma once
/// Division of products with experts into work for blocks, shared by kernels and their callers.
#include "plan/abi.hpp"

namespace kg {

/// Columns of an expert that a block multiplies at a time.
inline constexpr unsigned expert_tile_columns = 64;

}  // namespace kg
