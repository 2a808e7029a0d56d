#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "instruction.hpp"

namespace kernelgen::amdgpu {

/// What a launch executed: exact, the same for each run.
struct Counters {
  std::array<std::uint64_t, static_cast<std::size_t>(Pipe::count)>
      executed{};                        ///< instructions by pipe, a wave each
  std::vector<std::uint64_t> by_opcode;  ///< the same by Instruction::opcode
  std::uint64_t waves = 0, blocks = 0;
  std::uint64_t bytes_loaded = 0, bytes_stored = 0;  ///< of global memory, as lanes want them
  std::uint64_t atomics = 0;                         ///< lanes' atomic accesses of global memory
  /// Lines of 64 and 128 bytes that an instruction of a wave touches, summed over instructions: coalescing.
  std::uint64_t lines_64_loaded = 0, lines_128_loaded = 0, lines_64_stored = 0, lines_128_stored = 0;
  /// Different lines of 64 bytes that the launch touches: what an ideal cache reads and writes.
  std::uint64_t distinct_loaded = 0, distinct_stored = 0;
  std::uint64_t scratch_bytes = 0;                  ///< of private memory, loaded and stored
  std::uint64_t lds_cycles = 0, lds_conflicts = 0;  ///< cycles of LDS accesses; those that bank conflicts add

  std::uint64_t of(Pipe pipe) const { return executed[static_cast<std::size_t>(pipe)]; }

  /// Calls `visit(name, count)` for all but those by opcode.
  template <class Visit>
  void each(Visit visit) const {
    constexpr std::string_view pipes[] = {"valu", "transcendental", "matrix", "salu", "scalar_memory",
                                          "lds",  "vector_memory",  "branch", "wait", "other"};
    static_assert(std::size(pipes) == static_cast<std::size_t>(Pipe::count));
    for (std::size_t i = 0; i < executed.size(); ++i) visit(pipes[i], executed[i]);
    for (const auto& [name, member] : sums) visit(name, this->*member);
  }

  Counters& operator+=(const Counters& other) {
    for (std::size_t i = 0; i < executed.size(); ++i) executed[i] += other.executed[i];
    by_opcode.resize(std::max(by_opcode.size(), other.by_opcode.size()));
    for (std::size_t i = 0; i < other.by_opcode.size(); ++i) by_opcode[i] += other.by_opcode[i];
    for (const auto& [name, member] : sums) this->*member += other.*member;
    return *this;
  }

 private:
  struct Sum {
    std::string_view name;
    std::uint64_t Counters::* member;
  };
  static const std::array<Sum, 14> sums;
};

inline constexpr std::array<Counters::Sum, 14> Counters::sums{{
    {"waves", &Counters::waves},
    {"blocks", &Counters::blocks},
    {"bytes_loaded", &Counters::bytes_loaded},
    {"bytes_stored", &Counters::bytes_stored},
    {"atomics", &Counters::atomics},
    {"lines_64_loaded", &Counters::lines_64_loaded},
    {"lines_128_loaded", &Counters::lines_128_loaded},
    {"lines_64_stored", &Counters::lines_64_stored},
    {"lines_128_stored", &Counters::lines_128_stored},
    {"distinct_loaded", &Counters::distinct_loaded},
    {"distinct_stored", &Counters::distinct_stored},
    {"scratch_bytes", &Counters::scratch_bytes},
    {"lds_cycles", &Counters::lds_cycles},
    {"lds_conflicts", &Counters::lds_conflicts},
}};

}  // namespace kernelgen::amdgpu
