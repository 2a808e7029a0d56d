#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "code_object/disassembly.hpp"
#include "manifest/machine.hpp"

namespace kernelgen::tool {

/// The parts of an AMD compute unit that take instructions.
enum class Pipe : std::uint8_t {
  valu,
  matrix,  ///< MFMA and WMMA
  lds,
  global,  ///< also flat, buffer and scratch memory
  scalar,  ///< arithmetic and loads
  branch,  ///< also what waits and hints
};

inline constexpr std::array<std::string_view, 6> pipe_names = {"valu",   "matrix", "lds",
                                                               "global", "scalar", "branch"};

/// What an instruction is, by its mnemonic and operands.
struct InstructionClass {
  Pipe pipe = Pipe::valu;
  std::uint32_t lane_bytes = 0;  ///< that a lane moves, of global memory or LDS
  bool loads = false;            ///< global memory's, into registers or LDS
  bool stores = false;           ///< global memory's
  bool issues = true;            ///< false for what a wave does by itself: waiting, hints
  bool multiplies = false;       ///< a fused multiplication and addition or a dot product in the VALU
  bool transcendental = false;
};

InstructionClass classify(const Instruction& instruction);

/// Products that a matrix instruction of that name adds up, of one of its blocks: v_mfma_f32_16x16x4f32 has 16 · 16 · 4. 1 where the
/// name has no sizes.
std::int64_t matrix_products(std::string_view mnemonic);

/// Cycles for which a wave's instruction takes its pipe: of its SIMD for VALU, matrix, scalar and branch, of its compute
/// unit for LDS and global. Throws BadCodeObject for a matrix instruction of which the machine's row says nothing.
std::uint32_t pipe_cycles(const Machine& machine, const Instruction& instruction,
                          const InstructionClass& kind, std::uint32_t wave_size);

}  // namespace kernelgen::tool
