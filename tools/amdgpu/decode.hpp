#pragma once
#include <string_view>

#include "instruction.hpp"
#include "isa.hpp"

namespace kernelgen::amdgpu {

/// An instruction from LLVM's text of it (LLVM's "AMDGPU Instruction Syntax"): the text is the same for all encodings, and
/// changes less from one LLVM to the next than LLVM's tables. One that is not known faults when it is executed.
Instruction decode_text(std::string_view text, const Isa& isa);

/// Stands for bytes that are no instruction.
Instruction undecodable(std::uint64_t pc);
/// Stands after the last instruction of a function.
Instruction end_of_code(std::uint64_t pc);

bool is_unknown(const Instruction& in);

}  // namespace kernelgen::amdgpu
