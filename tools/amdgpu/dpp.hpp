#pragma once
#include <string_view>

#include "operand.hpp"

namespace kernelgen::amdgpu {

/// Takes `row_shr:1` and the like off the modifiers and wraps the instruction's handler.
void bind_dpp(const Parts& parts, Instruction& in);

/// `swizzle(SWAP,16)` as the offset that ds_swizzle_b32 has in its encoding.
std::int64_t parse_swizzle(std::string_view text);

}  // namespace kernelgen::amdgpu
