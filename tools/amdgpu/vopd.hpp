#pragma once
#include <string>

#include "instruction.hpp"

namespace kernelgen::amdgpu {

/// Two instructions in one (VOPD): both read their sources before either writes.
Instruction dual(Instruction x, Instruction y, std::string text);

}  // namespace kernelgen::amdgpu
