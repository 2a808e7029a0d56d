#pragma once
#include <array>
#include <cstdint>

#include "amdgpu/instruction.hpp"

namespace kernelgen::amdgpu {

/// Consecutive registers.
struct Registers {
  std::uint16_t first = 0;
  std::uint8_t count = 0;
  bool scalar = false;

  bool overlaps(const Registers& other) const {
    return scalar == other.scalar && first < other.first + other.count && other.first < first + count;
  }
};

/// Which registers an instruction reads and writes, and what it does with memory.
struct Footprint {
  enum class Use : std::uint8_t { none, load, store, atomic };
  /// What completes late, in which order.
  enum class Group : std::uint8_t { none, vector_load, vector_store, lds, scalar };
  /// The most operations of each group that a wait leaves outstanding.
  static constexpr std::uint16_t any = 0xffff;
  struct Wait {
    std::uint16_t vector_load = any, vector_store = any, lds = any, scalar = any;
  };

  std::array<Registers, 10> reads{};
  std::array<Registers, 4> writes{};
  std::array<Registers, 4> addresses{};  ///< of memory
  std::array<Registers, 2> data{};       ///< that go to memory
  std::uint8_t read_count = 0, write_count = 0, address_count = 0, data_count = 0;
  Registers loaded;    ///< what a load or an atomic writes
  Registers expected;  ///< by a compare-and-swap
  Use use = Use::none;
  Group group = Group::none;
  bool is_flat = false;   ///< counted with vector memory and with LDS
  bool coherent = false;  ///< a load or store of which other blocks' loads and stores may be the partners
  bool signals_barrier = false, waits_at_barrier = false;
  bool is_wait = false;
  bool indexes_registers = false;  ///< by M0
  Wait wait;
};

/// `major` is the GPU's, by which counters differ.
Footprint footprint_of(const Instruction& in, unsigned major);

}  // namespace kernelgen::amdgpu
