#include "code_object/loops.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace kernelgen::tool {
namespace {

/// Neighbouring instructions that run all or none.
struct Block {
  std::size_t begin = 0, end = 0;   ///< indices of instructions
  std::vector<std::size_t> next;    ///< blocks that may run after it
  std::vector<std::size_t> before;  ///< blocks that it may run after
};
using Blocks = std::set<std::size_t>;

constexpr std::size_t unreached = static_cast<std::size_t>(-1);

bool ends_function(const Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  return name.starts_with("s_endpgm") || name.starts_with("s_setpc") || name.starts_with("ret");
}

/// Every other branch may also go on with the next instruction.
bool always_branches(const Instruction& instruction) {
  return instruction.mnemonic == "s_branch" || instruction.mnemonic.starts_with("jmp");
}

/// Branches over what no lane is to do.
bool skips(const Instruction& instruction) { return instruction.mnemonic == "s_cbranch_execz"; }

/// Turns the mask of lanes around, between the two sides of an "if".
bool is_otherwise(const Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  return name.starts_with("s_andn2_saveexec") || name.starts_with("s_and_not1_saveexec") ||
         name.starts_with("s_or_saveexec");
}

bool is_call(const Instruction& instruction) { return instruction.mnemonic.starts_with("call"); }

class Graph {
 public:
  explicit Graph(std::span<const Instruction> function) : function_(function) {
    split();
    connect();
    find_order();
    find_dominators();
  }

  const std::vector<Block>& blocks() const { return blocks_; }
  /// Blocks that can be reached, each before those that only it leads to ("reverse post-order").
  const std::vector<std::size_t>& order() const { return order_; }

  std::size_t block_at(std::size_t instruction) const {
    const auto at = std::ranges::lower_bound(blocks_, instruction, {}, &Block::begin);
    return static_cast<std::size_t>(at - blocks_.begin());
  }

  /// Whether every way from the function's start to `block` comes by `by`.
  bool dominates(std::size_t by, std::size_t block) const {
    while (place_[block] > place_[by]) block = dominator_[block];
    return block == by;
  }

  /// Adds `header` and all blocks on ways from it to `end`.
  void add_ways_to(std::size_t end, std::size_t header, Blocks& body) const {
    body.insert(header);
    std::vector<std::size_t> left = {end};
    while (!left.empty()) {
      const std::size_t block = left.back();
      left.pop_back();
      if (place_[block] == unreached || !body.insert(block).second) continue;
      left.insert(left.end(), blocks_[block].before.begin(), blocks_[block].before.end());
    }
  }

  /// Some of the blocks, as a loop that begins with `header`.
  Loop part(const Blocks& body, std::size_t header) const {
    std::map<std::size_t, std::size_t> index;
    for (const std::size_t block : order_)
      if (body.contains(block)) index.emplace(block, index.size());
    Loop loop;
    loop.blocks.resize(index.size());
    for (const auto& [block, i] : index) {
      loop.blocks[i].begin = blocks_[block].begin;
      loop.blocks[i].end = blocks_[block].end;
      const auto code = function_.subspan(blocks_[block].begin, blocks_[block].end - blocks_[block].begin);
      loop.blocks[i].skips = skips(code.back());
      loop.blocks[i].otherwise = skips(code.back()) && std::ranges::any_of(code, is_otherwise);
      for (const std::size_t next : blocks_[block].next) {
        if (next == header)
          loop.blocks[i].closes = true;
        else if (place_[next] > place_[block] && index.contains(next))
          loop.blocks[i].next.push_back(index.at(next));
      }
    }
    return loop;
  }

 private:
  std::optional<std::size_t> index_of(std::uint64_t address) const {
    const auto at = std::ranges::lower_bound(function_, address, {}, &Instruction::address);
    if (at == function_.end() || at->address != address) return std::nullopt;
    return static_cast<std::size_t>(at - function_.begin());
  }

  std::optional<std::size_t> target_of(const Instruction& instruction) const {
    if (!instruction.goes_to || is_call(instruction)) return std::nullopt;
    return index_of(*instruction.goes_to);
  }

  void split() {
    std::set<std::size_t> starts = {0, function_.size()};
    for (std::size_t i = 0; i < function_.size(); ++i) {
      const auto target = target_of(function_[i]);
      if (target) starts.insert(*target);
      if (target || ends_function(function_[i])) starts.insert(i + 1);
    }
    for (auto start = starts.begin(); *start < function_.size(); ++start)
      blocks_.push_back({*start, *std::next(start), {}, {}});
  }

  void connect() {
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      const Instruction& last = function_[blocks_[block].end - 1];
      if (const auto target = target_of(last)) blocks_[block].next.push_back(block_at(*target));
      if (!ends_function(last) && !always_branches(last) && block + 1 < blocks_.size())
        blocks_[block].next.push_back(block + 1);
      for (const std::size_t next : blocks_[block].next) blocks_[next].before.push_back(block);
    }
  }

  void find_order() {
    place_.assign(blocks_.size(), unreached);
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
    for (std::size_t i = 0; i < order_.size(); ++i) place_[order_[i]] = i;
  }

  /// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm".
  void find_dominators() {
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

  std::size_t meet(std::size_t a, std::size_t b) const {
    while (a != b) {
      while (place_[a] > place_[b]) a = dominator_[a];
      while (place_[b] > place_[a]) b = dominator_[b];
    }
    return a;
  }

  std::span<const Instruction> function_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> place_;      ///< of each block in order_
  std::vector<std::size_t> dominator_;  ///< of each block, the nearest
};

}  // namespace

std::size_t Loop::size() const {
  std::size_t count = 0;
  for (const Block& block : blocks) count += block.end - block.begin;
  return count;
}

std::vector<Loop> find_loops(std::span<const Instruction> function) {
  const Graph graph(function);
  std::map<std::size_t, Blocks> bodies;  // of each header
  for (const std::size_t end : graph.order())
    for (const std::size_t header : graph.blocks()[end].next)
      if (graph.dominates(header, end)) graph.add_ways_to(end, header, bodies[header]);
  std::vector<Loop> loops;
  for (const auto& [header, body] : bodies) {
    Loop& loop = loops.emplace_back(graph.part(body, header));
    for (const auto& [other, inside] : bodies) {
      if (other == header || !body.contains(other)) continue;
      loop.innermost = false;
      for (Loop::Block& block : loop.blocks)
        block.inside = block.inside || inside.contains(graph.block_at(block.begin));
    }
  }
  return loops;
}

Loop whole_function(std::span<const Instruction> function) {
  const Graph graph(function);
  Loop loop = graph.part({graph.order().begin(), graph.order().end()}, unreached);
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
    for (std::size_t i = 0; i != unreached;) {
      for (std::size_t j = loop_.blocks[i].begin; j < loop_.blocks[i].end; ++j) way.push_back(j);
      const std::size_t next = rests_[skipped][i].next;
      skipped = next != unreached && is_skip(i, next);
      i = next;
    }
    return way;
  }

 private:
  struct Rest {
    std::optional<Weight> weight;  ///< none where no way leads to the end
    std::size_t next = unreached;
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
