#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "code_object/disassembly.hpp"

namespace kernelgen::tool {

/// A function's instructions in blocks, and which may run after which. Refers to the instructions.
class ControlFlow {
 public:
  /// Neighbouring instructions that run all or none.
  struct Block {
    std::size_t begin = 0, end = 0;   ///< indices of instructions
    std::vector<std::size_t> next;    ///< blocks that may run after it; what a branch leads to first
    std::vector<std::size_t> before;  ///< blocks that it may run after
  };

  explicit ControlFlow(std::span<const Instruction> function);

  const std::vector<Block>& blocks() const { return blocks_; }
  std::span<const Instruction> code(const Block& block) const {
    return function_.subspan(block.begin, block.end - block.begin);
  }
  /// Blocks that can be reached, each before those that only it leads to ("reverse post-order").
  const std::vector<std::size_t>& order() const { return order_; }
  /// The block that begins with this instruction.
  std::size_t block_at(std::size_t instruction) const;

  /// Whether `to` comes later in order() than `from`.
  bool leads_on(std::size_t from, std::size_t to) const { return position_[to] > position_[from]; }
  /// Whether every way from the function's start to `block` comes by `by`.
  bool dominates(std::size_t by, std::size_t block) const;
  /// Adds `header` and all blocks on ways from it to `end`.
  void add_ways_to(std::size_t end, std::size_t header, std::set<std::size_t>& blocks) const;

 private:
  std::optional<std::size_t> target_of(const Instruction& instruction) const;
  void split();
  void connect();
  void find_order();
  void find_dominators();
  std::size_t meet(std::size_t a, std::size_t b) const;

  std::span<const Instruction> function_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> position_;   ///< of each block in order_
  std::vector<std::size_t> dominator_;  ///< of each block, the nearest
};

}  // namespace kernelgen::tool
