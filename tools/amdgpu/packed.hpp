#pragma once
#include "lanes.hpp"

// What VOP3P instructions have in common.
namespace kernelgen::amdgpu {

/// The words of a source: registers, or a copy.
struct SourceWords {
  const std::uint32_t* low;
  const std::uint32_t* high = nullptr;
  alignas(64) Words low_copy, high_copy;

  SourceWords(Wave& wave, const Operand& operand, int words) {
    if (operand.kind == Operand::Kind::vgpr) {
      low = wave.vgpr(operand.index);
      if (words == 2) high = wave.vgpr(operand.index + 1u);
      return;
    }
    prepare_raw(wave, operand, words, low_copy, high_copy);
    low = low_copy.data();
    // A constant stands for both numbers of a pair.
    high = operand.kind == Operand::Kind::constant ? low : high_copy.data();
  }
};

/// The last source is the destination before the instruction.
inline Opcode accumulated(Opcode opcode) {
  opcode.accumulates = true;
  return opcode;
}

}  // namespace kernelgen::amdgpu
