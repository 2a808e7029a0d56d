#pragma once
#include "operand.hpp"

namespace kernelgen::amdgpu {

/// Takes `src0_sel:BYTE_1` and the like off the modifiers and wraps the instruction's handler.
void bind_sdwa(const Parts& parts, Instruction& in);

}  // namespace kernelgen::amdgpu
