#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "code_object/code_object.hpp"
#include "code_object/disassembly.hpp"
#include "code_object/pipes.hpp"
#include "manifest/machine.hpp"

namespace kernelgen::tool {

/// Number of waves resident on a SIMD.
struct Occupancy {
  std::uint32_t waves = 0;
  std::string_view limit;  ///< what allows no more: "VGPRs", "SGPRs", "LDS", "slots"
};

/// As many blocks as registers and LDS leave room for, their waves shared between the SIMDs.
Occupancy occupancy_of(const Machine& machine, const CodeKernel& kernel);

/// What once through a kernel's hottest loop takes a wave, counted from its instructions.
///
/// The hottest loop is the one whose own instructions, without those of nested loops, add up most products by matrix
/// instructions; where none has such instructions, the innermost loop that moves most bytes of global memory by its widest
/// accesses; else the loop that takes most cycles of the VALU. Of equals it is the shorter one; a kernel without loops counts
/// as a whole. Where branches in it exclude each other, the way is counted that has most such products, of these the one that
/// moves most by the loop's widest accesses, and of these the quickest.
struct LoopCost {
  struct Use {
    std::uint32_t instructions = 0;
    std::uint32_t cycles = 0;  ///< as pipe_cycles()
  };
  bool is_loop = false;
  std::uint64_t address = 0;               ///< of its first instruction
  std::uint32_t instructions = 0;          ///< on the way that is counted
  std::uint32_t all_instructions = 0;      ///< of the loop
  std::array<Use, pipe_names.size()> use;  ///< by Pipe
  std::uint32_t multiplications = 0;       ///< fused ones and dot products among the VALU's instructions
  std::uint64_t products = 0;      ///< of elements: matrix instructions', else all lanes' multiplications
  std::uint32_t loaded_bytes = 0;  ///< global memory's, by all lanes of the wave
  std::uint32_t stored_bytes = 0;
  Occupancy occupancy;
  std::uint32_t bytes_in_flight = 0;  ///< bytes of loads that a compute unit's waves have in flight, at most
  double memory_cycles = 0;           ///< of a SIMD, until the bytes have come at full bandwidth from memory
  /// The least cycles of a SIMD for this wave's turn: those of the pipe that takes longest, where all SIMDs of a compute
  /// unit run the loop and share its LDS and cache; "issue" where waves cannot issue fast enough.
  double bound_cycles = 0;
  std::string_view bound_by;

  const Use& operator[](Pipe pipe) const { return use[static_cast<std::size_t>(pipe)]; }
  /// Of the cycles of matrix and VALU instructions, were they to take turns.
  double matrix_share() const;
  /// Of the issue slots that the bytes leave at full bandwidth, how many the loop needs; 0 where it moves none.
  double slots() const { return memory_cycles == 0 ? 0 : bound_cycles / memory_cycles; }
};

/// Throws BadCodeObject for waves of another size than 32 or 64 and for instructions of which the machine's row says
/// nothing.
LoopCost cost_of(const Machine& machine, const CodeKernel& kernel, std::span<const Instruction> function);

}  // namespace kernelgen::tool
