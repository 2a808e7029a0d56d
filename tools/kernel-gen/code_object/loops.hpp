#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "code_object/disassembly.hpp"

namespace kernelgen::tool {

/// A natural loop of a function: what can run between two runs of its first instruction.
struct Loop {
  /// Instructions that run all or none.
  struct Block {
    std::size_t begin = 0, end = 0;  ///< indices of instructions
    std::vector<std::size_t>
        next;                ///< blocks of the loop that may run after it, further on; a branch's first
    bool skips = false;      ///< ends with a branch that is taken where no lane is left
    bool closes = false;     ///< the loop's first instruction may run after it
    bool inside = false;     ///< of a loop inside this one
    bool otherwise = false;  ///< its branch skips what lanes do that an "if" before it left out
  };
  std::vector<Block> blocks;  ///< each before those that it leads to; the first has the first instruction
  bool innermost = true;

  std::size_t size() const;  ///< in instructions
};

/// The loops of a function, by the position of their first instruction: a branch leads back to an instruction that every
/// way to the branch has come by. Branches back to one instruction make one loop.
std::vector<Loop> find_loops(std::span<const Instruction> function);

/// The function as if it were a loop that runs once.
Loop whole_function(std::span<const Instruction> function);

/// What a choice of ways through a loop goes by, the first number before the second.
using Weight = std::array<std::int64_t, 3>;

/// The instructions of the heaviest way once through a loop: of branches that exclude each other it takes one, and of
/// the two sides of an "if" that masks lanes. What such an "if" without another side guards is on the way: some lane is
/// to do it. Loops inside are gone through once at most. `weights` are those of the function's instructions.
std::vector<std::size_t> heaviest_way(const Loop& loop, std::span<const Weight> weights);

}  // namespace kernelgen::tool
