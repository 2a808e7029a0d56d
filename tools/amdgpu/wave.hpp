#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "code_object.hpp"
#include "counters.hpp"
#include "fault.hpp"
#include "instruction.hpp"
#include "isa.hpp"
#include "memory.hpp"
#include "traffic.hpp"

namespace kernelgen::amdgpu {

class Checks;
class Program;

struct Extent {
  std::uint32_t x = 1, y = 1, z = 1;
};

/// What all blocks of a launch share.
struct Launch {
  const Kernel* kernel = nullptr;
  const Isa* isa = nullptr;
  Program* program = nullptr;
  Memory* memory = nullptr;
  Extent grid, block;  ///< blocks; work-items a block
  std::uint32_t lds_bytes = 0;
  std::uint64_t kernarg = 0, dispatch_packet = 0, implicit = 0;
};

struct Wave;

/// A block (work-group) while it runs; a thread of the host keeps one and reuses it.
struct Block {
  const Launch* launch = nullptr;
  Extent id;
  std::vector<std::byte> lds;
  std::vector<Wave> waves;
  Counters counters;
  Traffic traffic;
  std::array<Allocation, 4> recent;  ///< allocations that were accessed lately
  unsigned next_recent = 0;
  std::uint64_t recent_generation = 0;
  Checks* checks = nullptr;  ///< null: the launch is not checked
};

/// A wave: registers, what it executes, and how far it is.
struct Wave {
  enum class State : std::uint8_t { running, yielded, at_barrier, ended };
  static constexpr int most_lanes = 64;
  using Lanes = std::array<std::uint32_t, most_lanes>;

  Block* block = nullptr;
  const Instruction* current = nullptr;
  const Instruction* next = nullptr;
  State state = State::running;
  bool scc = false;
  bool flush_32 = false, flush_16_64 = false;  ///< denormals, as MODE says
  bool rounds_to_nearest = true;               ///< both fields of MODE
  std::uint32_t mode = 0;
  unsigned index = 0;  ///< in its block
  int lanes = 64;
  std::uint64_t exec = 0;
  alignas(64) Lanes writes{};  ///< a lane's word is all ones if EXEC has it
  std::array<std::uint32_t, sgpr::count> sgprs{};
  std::vector<Lanes> vgprs;
  std::vector<std::byte> scratch;  ///< all lanes' private segments, interleaved by 4 bytes
  std::uint64_t flat_scratch = 0;

  std::uint32_t* vgpr(unsigned register_index) { return vgprs[register_index].data(); }
  std::uint64_t all_lanes() const { return lanes == 64 ? ~std::uint64_t{0} : 0xffffffffu; }
  const Isa& isa() const { return *block->launch->isa; }
  /// Calls `body(lane)` for the wave's lanes, 32 at a time: a loop that compilers make vectors of. A lane's words may be
  /// where its sources are, never where another lane's are.
  template <class F>
  void each_lane(F body) const {
    for (std::size_t first = 0; first < static_cast<std::size_t>(lanes); first += 32) {
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#elif defined(__GNUC__)
#pragma GCC ivdep
#endif
      for (std::size_t lane = first; lane < first + 32; ++lane) body(lane);
    }
  }

  void set_exec(std::uint64_t bits) {
    exec = bits & all_lanes();
    each_lane([&](std::size_t lane) {
      writes[lane] = 0u - (static_cast<std::uint32_t>(exec >> (lane & 32)) >> (lane & 31) & 1);
    });
  }
  void set_mode(std::uint32_t bits) {
    mode = bits;
    flush_32 = (bits >> 4 & 3) != 3;
    flush_16_64 = (bits >> 6 & 3) != 3;
    rounds_to_nearest = (bits & 15) == 0;
  }

  std::uint32_t read(unsigned index) const {
    return index < sgpr::m0 + 1u ? sgprs[index] : read_special(index);
  }
  std::uint64_t read_64(unsigned index) const { return read(index) | std::uint64_t{read(index + 1u)} << 32; }
  void write(unsigned index, std::uint32_t value);
  void write_64(unsigned index, std::uint64_t value) {
    write(index, static_cast<std::uint32_t>(value));
    write(index + 1u, static_cast<std::uint32_t>(value >> 32));
  }
  /// A bit a lane: one register in waves of 32 lanes, else two.
  std::uint64_t read_mask(unsigned index) const { return lanes == 64 ? read_64(index) : read(index); }
  void write_mask(unsigned index, std::uint64_t value) {
    if (lanes == 64)
      write_64(index, value);
    else
      write(index, static_cast<std::uint32_t>(value));
  }

  [[noreturn]] void fault(Fault::Kind kind, const std::string& what, int lane = -1) const;

  /// Those bytes of the device's memory; faults if they are not in a live allocation.
  void* memory(std::uint64_t address, std::uint64_t size, int lane);
  /// Those bytes of the block's LDS.
  void* lds(std::uint64_t address, std::uint64_t size, int lane);
  /// A word, or part of one, of a lane's private segment.
  void* private_memory(std::uint64_t address, std::uint64_t size, int lane);

 private:
  std::uint32_t read_special(unsigned index) const;
};

}  // namespace kernelgen::amdgpu
