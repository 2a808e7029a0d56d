#pragma once
#include <string_view>
#include <vector>

#include "instruction.hpp"

namespace kernelgen::amdgpu {

/// The text of an instruction, taken apart.
struct Parts {
  std::string_view mnemonic;
  std::vector<std::string_view> operands;
  std::vector<std::string_view> modifiers;
};
Parts take_apart(std::string_view text);

/// A register or constant with its modifiers: `v[0:1]`, `-|s3|`, `0x3f800000`, `vcc_lo`, `sext(v1)`. Kind::none: neither.
Operand parse_operand(std::string_view text);

/// Encodes a constant for an operand of that type and says whether the operand is a register read as it is.
void bind(Operand& operand, Type type);

/// The value of a real constant that is bound to Type::raw, as an f32.
double raw_real(const Operand& operand);

/// A number, decimal or 0x...; 0 without one.
std::int64_t parse_number(std::string_view text);
/// The numbers of `[1,0,1]`.
std::vector<std::int64_t> parse_list(std::string_view text);

}  // namespace kernelgen::amdgpu
