#include "code_object/loop_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <optional>
#include <tuple>
#include <vector>

#include "code_object/loops.hpp"

namespace kernelgen::tool {
namespace {

/// In 64 bits: metadata may hold any number.
std::uint64_t round_up(std::uint64_t value, std::uint64_t granule) {
  return granule == 0 ? value : (value + granule - 1) / granule * granule;
}

/// A function's instructions, each with what it is and takes.
class Counter {
 public:
  Counter(const Machine& machine, std::uint32_t wave_size, std::span<const Instruction> function)
      : machine_(machine), wave_size_(wave_size), function_(function) {
    for (const Instruction& instruction : function) {
      classes_.push_back(classify(instruction));
      cycles_.push_back(pipe_cycles(machine, instruction, classes_.back(), wave_size));
    }
  }

  /// How the hottest loop is chosen, each criterion if the ones before are zero: products of matrix instructions, bytes of
  /// the widest accesses, cycles of the VALU. Blocks of nested loops do not count.
  Weight work(const Loop& loop) const {
    const std::uint32_t widest = widest_access(loop);
    Weight weight{};
    for (const Loop::Block& block : loop.blocks)
      for (std::size_t i = block.begin; i < block.end && !block.inside; ++i) {
        weight[0] += products(i);
        if (loop.innermost) weight[1] += bytes_as_wide_as(widest, i);
        if (classes_[i].pipe == Pipe::valu) weight[2] += cycles_[i];
      }
    if (weight[0] != 0) weight[1] = 0;
    if (weight[0] != 0 || weight[1] != 0) weight[2] = 0;
    return weight;
  }

  /// What the way through a loop is chosen by: matrix instructions, the bytes of its widest accesses (narrower ones stand
  /// next to them, for operands whose ends or alignment do not fit the wide ones), then its time.
  std::vector<Weight> way_weights(const Loop& loop) const {
    const std::uint32_t widest = widest_access(loop);
    std::vector<Weight> weights;
    for (std::size_t i = 0; i < function_.size(); ++i)
      weights.push_back({products(i), bytes_as_wide_as(widest, i), -static_cast<std::int64_t>(cycles_[i])});
    return weights;
  }

  void count(std::span<const std::size_t> way, LoopCost& cost) const {
    std::uint32_t apart = 0;
    for (const std::size_t i : way) {
      const InstructionClass& kind = classes_[i];
      LoopCost::Use& use = cost.use[static_cast<std::size_t>(kind.pipe)];
      ++use.instructions;
      if (kind.transcendental && machine_.transcendentals_apart) {
        apart += cycles_[i];
        use.cycles += cycles_[i] / machine_.transcendental_rate;
      } else {
        use.cycles += cycles_[i];
      }
      cost.multiplications += kind.multiplies ? 1 : 0;
      cost.products += static_cast<std::uint64_t>(products(i));
      if (kind.pipe != Pipe::global) continue;
      const std::uint32_t bytes = kind.lane_bytes * wave_size_;
      (kind.stores ? cost.stored_bytes : cost.loaded_bytes) += bytes;
    }
    if (cost.products == 0) cost.products = std::uint64_t{cost.multiplications} * wave_size_;
    LoopCost::Use& valu = cost.use[static_cast<std::size_t>(Pipe::valu)];
    valu.cycles = std::max(valu.cycles, apart);
    cost.instructions = static_cast<std::uint32_t>(way.size());
  }

  /// Cycles in which the VALU takes no other instruction: its own, and those of matrix instructions that need it, at
  /// least to be issued.
  std::uint32_t vector_cycles(std::span<const std::size_t> way, const LoopCost& cost) const {
    std::uint32_t cycles = cost[Pipe::valu].cycles;
    for (const std::size_t i : way)
      if (classes_[i].pipe == Pipe::matrix)
        cycles += machine_.matrix_alone.contains(function_[i].mnemonic) ? cycles_[i] : machine_.issue_cycles;
    return cycles;
  }

  std::uint32_t issued(std::span<const std::size_t> way) const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(way, [&](std::size_t i) { return classes_[i].issues; }));
  }

  /// Bytes a lane that loads have asked for and no wait has seen arrive, at most, when the way is gone again and again.
  std::uint32_t lane_bytes_in_flight(std::span<const std::size_t> way, bool again) const {
    std::deque<std::uint32_t> waiting;
    std::uint32_t bytes = 0, most = 0;
    for (int turn = 0; turn < (again ? 2 : 1); ++turn)
      for (const std::size_t i : way) {
        const InstructionClass& kind = classes_[i];
        if (kind.pipe == Pipe::global && (kind.loads || counts_stores())) {
          waiting.push_back(kind.loads ? kind.lane_bytes : 0);
          bytes += waiting.back();
          most = std::max(most, bytes);
        }
        const auto left = loads_left(function_[i]);
        while (left && waiting.size() > *left) {
          bytes -= waiting.front();
          waiting.pop_front();
        }
      }
    return most;
  }

 private:
  std::uint32_t global_bytes(std::size_t i) const {
    return classes_[i].pipe == Pipe::global ? classes_[i].lane_bytes : 0;
  }

  std::uint32_t widest_access(const Loop& loop) const {
    std::uint32_t widest = 0;
    for (const Loop::Block& block : loop.blocks)
      for (std::size_t i = block.begin; i < block.end; ++i) widest = std::max(widest, global_bytes(i));
    return widest;
  }

  std::int64_t bytes_as_wide_as(std::uint32_t widest, std::size_t i) const {
    return global_bytes(i) < widest ? 0 : global_bytes(i);
  }

  std::int64_t products(std::size_t i) const {
    return classes_[i].pipe == Pipe::matrix ? matrix_products(function_[i].mnemonic) : 0;
  }

  /// Before gfx10 one counter is for loads and stores.
  bool counts_stores() const { return machine_.target.starts_with("gfx9"); }

  /// How many loads a wait leaves unfinished.
  static std::optional<std::size_t> loads_left(const Instruction& instruction) {
    std::string_view count = instruction.operands;
    if (instruction.mnemonic == "s_waitcnt") {
      constexpr std::string_view word = "vmcnt(";
      const std::size_t at = count.find(word);
      if (at == count.npos) return std::nullopt;
      count.remove_prefix(at + word.size());
    } else if (instruction.mnemonic != "s_wait_loadcnt") {
      // gfx12 has one for loads and LDS too, whose higher byte counts loads.
      return instruction.mnemonic == "s_wait_loadcnt_dscnt" ? number(count, 16, 8) : std::nullopt;
    }
    return number(count, 10, 0);
  }

  static std::optional<std::size_t> number(std::string_view text, int base, unsigned shift) {
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    std::size_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value, hexadecimal ? 16 : base);
    if (error != std::errc()) return std::nullopt;
    return value >> shift;
  }

  const Machine& machine_;
  std::uint32_t wave_size_;
  std::span<const Instruction> function_;
  std::vector<InstructionClass> classes_;
  std::vector<std::uint32_t> cycles_;
};

struct Choice {
  Loop loop;
  bool is_loop = false;
};

Choice hottest_loop(std::span<const Instruction> function, const Counter& counter) {
  Choice best;
  std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t> most;
  for (Loop& loop : find_loops(function)) {
    const Weight work = counter.work(loop);
    const std::tuple score{work[0], work[1], work[2], -static_cast<std::int64_t>(loop.size())};
    if (best.is_loop && score <= most) continue;
    most = score;
    best = {std::move(loop), true};
  }
  if (!best.is_loop) best.loop = whole_function(function);
  return best;
}

void set_bound(const Machine& machine, std::uint32_t vector_cycles, std::uint32_t issued, LoopCost& cost) {
  const std::uint32_t simds = machine.simds;
  const double issue = 1.0 * issued * machine.issue_cycles / std::max(1u, cost.occupancy.waves);
  const std::pair<double, std::string_view> pipes[] = {{cost[Pipe::matrix].cycles, "matrix"},
                                                       {vector_cycles, "valu"},
                                                       {1.0 * cost[Pipe::lds].cycles * simds, "lds"},
                                                       {1.0 * cost[Pipe::global].cycles * simds, "global"},
                                                       {cost[Pipe::scalar].cycles, "scalar"},
                                                       {cost[Pipe::branch].cycles, "branch"},
                                                       {issue, "issue"}};
  for (const auto& [cycles, name] : pipes)
    if (cycles > cost.bound_cycles) std::tie(cost.bound_cycles, cost.bound_by) = std::pair(cycles, name);
}

}  // namespace

Occupancy occupancy_of(const Machine& machine, const CodeKernel& kernel) {
  constexpr std::uint64_t register_bytes = 4;
  const std::uint64_t simds = machine.simds * machine.compute_units_a_block;
  const std::uint64_t block_waves =
      (std::max<std::uint64_t>(kernel.max_block, 1) + kernel.wave_size - 1) / kernel.wave_size;
  std::uint64_t waves = machine.waves;
  std::string_view by = "slots";
  const auto limit = [&](std::uint64_t most, std::string_view what) {
    if (most < waves) std::tie(waves, by) = std::tuple(most, what);
  };
  // A register of a wave of 64 lanes takes as much as two of one of 32.
  const std::uint64_t vgprs = std::max<std::uint64_t>(1, kernel.vgprs) * register_bytes * kernel.wave_size;
  limit(machine.vgpr_bytes / round_up(vgprs, machine.vgpr_granule_bytes), "VGPRs");
  if (machine.sgprs != 0)
    limit(machine.sgprs / round_up(std::max<std::uint64_t>(1, kernel.sgprs), machine.sgpr_granule), "SGPRs");
  // Blocks are there as a whole, their waves shared between the SIMDs.
  const auto waves_of = [&](std::uint64_t blocks) { return (blocks * block_waves + simds - 1) / simds; };
  const std::uint64_t blocks = waves * simds / block_waves;
  limit(waves_of(blocks), by);
  if (kernel.lds_bytes != 0)
    limit(waves_of(std::min(blocks, machine.lds_bytes / round_up(kernel.lds_bytes, machine.lds_granule))),
          "LDS");
  return {static_cast<std::uint32_t>(waves), by};
}

double LoopCost::matrix_share() const {
  const double matrix = (*this)[Pipe::matrix].cycles;
  return matrix == 0 ? 0 : matrix / (matrix + (*this)[Pipe::valu].cycles);
}

LoopCost cost_of(const Machine& machine, const CodeKernel& kernel, std::span<const Instruction> function) {
  if (kernel.wave_size != 32 && kernel.wave_size != 64)
    throw BadCodeObject(fmt::format("kernel {}: waves of {} lanes", kernel.name, kernel.wave_size));
  const Counter counter(machine, kernel.wave_size, function);
  const Choice hottest = hottest_loop(function, counter);
  const std::vector<std::size_t> way = heaviest_way(hottest.loop, counter.way_weights(hottest.loop));
  LoopCost cost;
  cost.is_loop = hottest.is_loop;
  if (!way.empty()) cost.address = function[way.front()].address;
  cost.all_instructions = static_cast<std::uint32_t>(hottest.loop.size());
  counter.count(way, cost);
  cost.occupancy = occupancy_of(machine, kernel);
  cost.bytes_in_flight = counter.lane_bytes_in_flight(way, hottest.is_loop) * kernel.wave_size *
                         cost.occupancy.waves * machine.simds;
  const double bytes_a_cycle = machine.memory_gb_s * 1e3 / machine.clock_mhz;
  cost.memory_cycles =
      (1.0 * cost.loaded_bytes + cost.stored_bytes) * machine.compute_units * machine.simds / bytes_a_cycle;
  set_bound(machine, counter.vector_cycles(way, cost), counter.issued(way), cost);
  return cost;
}

}  // namespace kernelgen::tool
