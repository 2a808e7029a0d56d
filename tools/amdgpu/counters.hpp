#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "instruction.hpp"

namespace kernelgen::amdgpu {

/// What a launch executed: exact, the same for each run.
struct Counters {
  std::array<std::uint64_t, static_cast<std::size_t>(Pipe::count)>
      executed{};  ///< instructions by pipe, a wave each
  std::uint64_t waves = 0, blocks = 0;
  std::uint64_t bytes_loaded = 0, bytes_stored = 0;  ///< of global memory, as lanes want them
  std::uint64_t atomics = 0;                         ///< lanes' atomic accesses of global memory

  std::uint64_t of(Pipe pipe) const { return executed[static_cast<std::size_t>(pipe)]; }
  Counters& operator+=(const Counters& other) {
    for (std::size_t i = 0; i < executed.size(); ++i) executed[i] += other.executed[i];
    waves += other.waves;
    blocks += other.blocks;
    bytes_loaded += other.bytes_loaded;
    bytes_stored += other.bytes_stored;
    atomics += other.atomics;
    return *this;
  }
};

}  // namespace kernelgen::amdgpu
