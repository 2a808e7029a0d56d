#include "code_object/loops.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "code_object/control_flow.hpp"

namespace kernelgen::tool {
namespace {

using Blocks = std::set<std::size_t>;

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Branches over what no lane is to do.
bool skips(const Instruction& instruction) { return instruction.mnemonic == "s_cbranch_execz"; }

/// Turns the mask of lanes around, between the two sides of an "if".
bool is_otherwise(const Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  return name.starts_with("s_andn2_saveexec") || name.starts_with("s_and_not1_saveexec") ||
         name.starts_with("s_or_saveexec");
}

/// Some of a function's blocks, as a loop that begins with `header`.
Loop part(const ControlFlow& flow, const Blocks& body, std::size_t header) {
  std::map<std::size_t, std::size_t> index;
  for (const std::size_t block : flow.order())
    if (body.contains(block)) index.emplace(block, index.size());
  Loop loop;
  loop.blocks.resize(index.size());
  for (const auto& [from, i] : index) {
    const ControlFlow::Block& block = flow.blocks()[from];
    const auto code = flow.code(block);
    Loop::Block& made = loop.blocks[i];
    made.begin = block.begin;
    made.end = block.end;
    made.skips = skips(code.back());
    made.otherwise = made.skips && std::ranges::any_of(code, is_otherwise);
    for (const std::size_t next : block.next) {
      if (next == header)
        made.closes = true;
      else if (flow.leads_on(from, next) && index.contains(next))
        made.next.push_back(index.at(next));
    }
  }
  return loop;
}

}  // namespace

std::size_t Loop::size() const {
  std::size_t count = 0;
  for (const Block& block : blocks) count += block.end - block.begin;
  return count;
}

std::vector<Loop> find_loops(std::span<const Instruction> function) {
  const ControlFlow flow(function);
  std::map<std::size_t, Blocks> bodies;  // of each header
  for (const std::size_t end : flow.order())
    for (const std::size_t header : flow.blocks()[end].next)
      if (flow.dominates(header, end)) flow.add_ways_to(end, header, bodies[header]);
  std::vector<Loop> loops;
  for (const auto& [header, body] : bodies) {
    Loop& loop = loops.emplace_back(part(flow, body, header));
    for (const auto& [other, inside] : bodies) {
      if (other == header || !body.contains(other)) continue;
      loop.innermost = false;
      for (Loop::Block& block : loop.blocks)
        block.inside = block.inside || inside.contains(flow.block_at(block.begin));
    }
  }
  return loops;
}

Loop whole_function(std::span<const Instruction> function) {
  const ControlFlow flow(function);
  Loop loop = part(flow, {flow.order().begin(), flow.order().end()}, none);
  for (Loop::Block& block : loop.blocks) block.closes = block.next.empty();
  return loop;
}

namespace {

/// Finds the heaviest way from each block to the loop's end, the last block's first.
class Ways {
 public:
  Ways(const Loop& loop, std::span<const Weight> weights) : loop_(loop) {
    for (auto& rests : rests_) rests.resize(loop.blocks.size());
    for (std::size_t i = loop.blocks.size(); i-- > 0;) {
      const Loop::Block& block = loop.blocks[i];
      Weight own{};
      for (std::size_t j = block.begin; j < block.end; ++j) add(own, weights[j]);
      for (const bool skipped : {false, true}) rests_[skipped][i] = rest_of(i, skipped, own);
    }
  }

  std::vector<std::size_t> heaviest() const {
    std::vector<std::size_t> way;
    if (loop_.blocks.empty() || !rests_[0][0].weight) return way;
    bool skipped = false;
    for (std::size_t i = 0; i != none;) {
      for (std::size_t j = loop_.blocks[i].begin; j < loop_.blocks[i].end; ++j) way.push_back(j);
      const std::size_t next = rests_[skipped][i].next;
      skipped = next != none && is_skip(i, next);
      i = next;
    }
    return way;
  }

 private:
  struct Rest {
    std::optional<Weight> weight;  ///< none where no way leads to the end
    std::size_t next = none;
  };

  static void add(Weight& sum, const Weight& weight) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += weight[i];
  }

  /// Whether going from a block to that one leaves out the first side of an "if".
  bool is_skip(std::size_t from, std::size_t to) const {
    return loop_.blocks[from].skips && loop_.blocks[from].next.front() == to;
  }

  /// Where the way may go on. `skipped`: how the block was come to; where an "if" has two sides, one of them is gone.
  std::span<const std::size_t> nexts_of(const Loop::Block& block, bool skipped) const {
    const std::span<const std::size_t> nexts = block.next;
    if (!block.skips || nexts.size() != 2) return nexts;
    if (block.otherwise) return nexts.subspan(skipped ? 1 : 0, 1);
    const bool guards = !loop_.blocks[nexts[0]].otherwise && rests_[0][nexts[1]].weight;
    return guards ? nexts.subspan(1) : nexts;
  }

  Rest rest_of(std::size_t i, bool skipped, const Weight& own) const {
    const Loop::Block& block = loop_.blocks[i];
    Rest rest;
    if (block.closes) rest.weight = Weight{};
    for (const std::size_t next : nexts_of(block, skipped)) {
      const std::optional<Weight>& after = rests_[is_skip(i, next)][next].weight;
      if (after && (!rest.weight || *after > *rest.weight)) rest = {after, next};
    }
    if (rest.weight) add(*rest.weight, own);
    return rest;
  }

  const Loop& loop_;
  std::array<std::vector<Rest>, 2> rests_;  ///< of each block, come to by a skip or not
};

}  // namespace

std::vector<std::size_t> heaviest_way(const Loop& loop, std::span<const Weight> weights) {
  return Ways(loop, weights).heaviest();
}

}  // namespace kernelgen::tool
