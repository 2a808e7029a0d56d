#pragma once
#include <array>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instruction.hpp"

namespace kernelgen::amdgpu {

/// What an opcode does and of what types its operands are.
struct Opcode {
  Execute execute = nullptr;
  Execute saturating = nullptr;  ///< with `clamp`, of integers
  std::array<Type, 2> destination{};
  std::array<Type, 6> source{};
  std::uint8_t destinations = 0, sources = 0;
  Pipe pipe = Pipe::valu;
  bool accumulates = false;  ///< the destination is the last source, too
  bool keeps_high = false;   ///< a 16-bit result leaves the other half on gfx9, too
  bool raw = false;          ///< operands go to the handler as they are written, destinations first
  bool packed = false;       ///< VOP3P: op_sel and op_sel_hi are the handler's
  bool mixed = false;        ///< v_fma_mix: without op_sel_hi in the text it is 0, elsewhere 1
  Access access;
  std::uint16_t number = 0;  ///< counts the table's entries from 1
};

/// By the mnemonic without its encoding's suffix (_e32, _e64, _dpp, _sdwa).
using Opcodes = std::unordered_map<std::string_view, Opcode>;

/// Every opcode that is known.
const Opcodes& opcodes();

/// Mnemonics and pipes by Opcode::number; 0 is what is not known.
struct NumberedOpcode {
  std::string_view name;
  Pipe pipe;
};
const std::vector<NumberedOpcode>& numbered_opcodes();

void add_scalar(Opcodes& table);
void add_scalar_memory(Opcodes& table);
void add_control(Opcodes& table);
void add_float(Opcodes& table);
void add_half(Opcodes& table);
void add_double(Opcodes& table);
void add_integer(Opcodes& table);
void add_integer_16(Opcodes& table);
void add_compare(Opcodes& table);
void add_conversions(Opcodes& table);
void add_packed(Opcodes& table);
void add_dot(Opcodes& table);
void add_lane_exchange(Opcodes& table);
void add_global_memory(Opcodes& table);
void add_buffer_memory(Opcodes& table);
void add_buffer_atomics(Opcodes& table);
void add_global_atomics(Opcodes& table);
void add_lds(Opcodes& table);
void add_lds_atomics(Opcodes& table);
void add_mfma(Opcodes& table);
void add_scaled_mfma(Opcodes& table);
void add_smfmac(Opcodes& table);
void add_wmma(Opcodes& table);
void add_indexing(Opcodes& table);

}  // namespace kernelgen::amdgpu
