#include "code_object/control_flow.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kernelgen::tool {
namespace {

constexpr std::size_t unreached = static_cast<std::size_t>(-1);

bool ends_function(const Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  return name.starts_with("s_endpgm") || name.starts_with("s_setpc") || name.starts_with("ret");
}

/// Every other branch may also go on with the next instruction.
bool always_branches(const Instruction& instruction) {
  return instruction.mnemonic == "s_branch" || instruction.mnemonic.starts_with("jmp");
}

bool is_call(const Instruction& instruction) { return instruction.mnemonic.starts_with("call"); }

}  // namespace

ControlFlow::ControlFlow(std::span<const Instruction> function) : function_(function) {
  split();
  connect();
  find_order();
  find_dominators();
}

std::size_t ControlFlow::block_at(std::size_t instruction) const {
  const auto at = std::ranges::lower_bound(blocks_, instruction, {}, &Block::begin);
  return static_cast<std::size_t>(at - blocks_.begin());
}

bool ControlFlow::dominates(std::size_t by, std::size_t block) const {
  while (position_[block] > position_[by]) block = dominator_[block];
  return block == by;
}

void ControlFlow::add_ways_to(std::size_t end, std::size_t header, std::set<std::size_t>& blocks) const {
  blocks.insert(header);
  std::vector<std::size_t> left = {end};
  while (!left.empty()) {
    const std::size_t block = left.back();
    left.pop_back();
    if (position_[block] == unreached || !blocks.insert(block).second) continue;
    left.insert(left.end(), blocks_[block].before.begin(), blocks_[block].before.end());
  }
}

std::optional<std::size_t> ControlFlow::target_of(const Instruction& instruction) const {
  if (!instruction.goes_to || is_call(instruction)) return std::nullopt;
  const auto at = std::ranges::lower_bound(function_, *instruction.goes_to, {}, &Instruction::address);
  if (at == function_.end() || at->address != *instruction.goes_to) return std::nullopt;
  return static_cast<std::size_t>(at - function_.begin());
}

void ControlFlow::split() {
  std::set<std::size_t> starts = {0, function_.size()};
  for (std::size_t i = 0; i < function_.size(); ++i) {
    const auto target = target_of(function_[i]);
    if (target) starts.insert(*target);
    if (target || ends_function(function_[i])) starts.insert(i + 1);
  }
  for (auto start = starts.begin(); *start < function_.size(); ++start)
    blocks_.push_back({*start, *std::next(start), {}, {}});
}

void ControlFlow::connect() {
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    const Instruction& last = function_[blocks_[block].end - 1];
    if (const auto target = target_of(last)) blocks_[block].next.push_back(block_at(*target));
    if (!ends_function(last) && !always_branches(last) && block + 1 < blocks_.size())
      blocks_[block].next.push_back(block + 1);
    for (const std::size_t next : blocks_[block].next) blocks_[next].before.push_back(block);
  }
}

void ControlFlow::find_order() {
  position_.assign(blocks_.size(), unreached);
  if (blocks_.empty()) return;
  std::vector<std::pair<std::size_t, std::size_t>> stack = {{0, 0}};
  std::vector<bool> seen(blocks_.size(), false);
  seen[0] = true;
  while (!stack.empty()) {
    auto& [block, edge] = stack.back();
    if (edge == blocks_[block].next.size()) {
      order_.push_back(block);
      stack.pop_back();
    } else if (const std::size_t next = blocks_[block].next[edge++]; !seen[next]) {
      seen[next] = true;
      stack.emplace_back(next, 0);
    }
  }
  std::ranges::reverse(order_);
  for (std::size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = i;
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
void ControlFlow::find_dominators() {
  dominator_.assign(blocks_.size(), unreached);
  if (blocks_.empty()) return;
  dominator_[0] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::size_t block : order_) {
      if (block == 0) continue;
      std::size_t common = unreached;
      for (const std::size_t before : blocks_[block].before)
        if (dominator_[before] != unreached) common = common == unreached ? before : meet(common, before);
      changed = changed || dominator_[block] != common;
      dominator_[block] = common;
    }
  }
}

std::size_t ControlFlow::meet(std::size_t a, std::size_t b) const {
  while (a != b) {
    while (position_[a] > position_[b]) a = dominator_[a];
    while (position_[b] > position_[a]) b = dominator_[b];
  }
  return a;
}

}  // namespace kernelgen::tool
