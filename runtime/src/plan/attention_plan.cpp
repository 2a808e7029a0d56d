#include "plan/attention_plan.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "plan/attention_tiles.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

/// Minimum rows that share keys for matrix instructions to pay off.
constexpr std::int64_t mma_min_rows = 16;
/// f32 tiles take three times as long, so at least one in this many compute units must have a tile.
constexpr std::int64_t f32_units_per_tile = 8;
/// Estimated instructions of a wave of the small kernel: per iteration over keys, and fixed.
constexpr double iteration_instructions = 450, wave_instructions = 300;
/// Up to these limits the small kernel's faster start outweighs the throughput of the larger kernels: instructions per
/// compute unit, and iterations, each of which waits for memory.
constexpr double small_max_instructions = 40000;
constexpr std::int64_t small_max_iterations = 6;
/// Times of the small kernel in microseconds, fitted to drawn calls on an H200: its start, each round of blocks after the first, the
/// latency of an iteration over keys, what the keys in flight take a compute unit per block, and the combination of splits, for which
/// HIP starts a kernel after another one has ended.
constexpr double small_start = 5.3, small_round = 2, small_latency = 1.85, small_key = 0.35,
                 cuda_combine = 2.1, hip_combine = 10, small_split = 0.1;
/// Costs in units of the time that a tile takes for a key. CDNA's matrix instructions take three to four times as long for
/// a key as an H100's, and tiles of f32 on NVIDIA GPUs ten times as long as those of 16 bits, so that everything else costs fewer
/// keys.
struct SplitCosts {
  std::int64_t start;              ///< of a block
  std::int64_t partial_row;        ///< storing one row's partial results
  std::int64_t combine;            ///< launch of the kernel that combines the splits
  std::int64_t combined_elements;  ///< not a cost: partial elements that a compute unit combines in that time
};
constexpr SplitCosts split_costs{128, 2, 256, 12}, cdna_split_costs{32, 1, 64, 48},
    cuda_f32_split_costs{96, 0, 64, 192};
/// Resident blocks per compute unit, by kernel.
constexpr std::int64_t small_blocks = 2, w64_blocks = 2, wide_mma_blocks = 1, simt_blocks = 4;
/// Maximum number of splits of the keys.
constexpr std::int64_t most_splits = 64;
/// Minimum keys of a split on a CPU, and minimum multiplications of a call that justify waking other threads.
constexpr std::int64_t cpu_split_keys = 512;
constexpr double cpu_min_multiplications = 256 * 1024;

/// The maximum number of keys that any of `rows` consecutive rows of a key head sees.
std::int64_t keys_of(const kg::AttentionShape& call, std::int64_t rows) {
  constexpr int all = std::numeric_limits<int>::max();
  if (call.window_left == all || call.window_right == all) return call.keys;
  const std::int64_t queries = std::min<std::int64_t>(rows / call.group + 1, call.queries);
  return std::min<std::int64_t>(call.keys, std::int64_t{call.window_left} + call.window_right + queries);
}

/// The mean number of keys that a query sees; `most` is the maximum. A window limits almost all queries alike; with a causal mask,
/// each query sees one key more than the one before.
std::int64_t mean_keys(const kg::AttentionShape& call, std::int64_t most) {
  if (most < call.keys) return most;
  const std::int64_t queries = call.queries, keys = call.keys;
  // Keys that the first query does not see.
  const std::int64_t hidden = std::max<std::int64_t>(queries - 1 - call.window_right, 0);
  const std::int64_t partly = std::min(hidden, keys);
  return keys - (partly * (partly + 1) / 2 + (hidden - partly) * keys) / queries;
}

/// The number of splits that minimizes the time for `tiles` tiles of `rows` rows and up to `keys` keys, `mean` on average,
/// with `slots` resident blocks on the device. Time, in keys (SplitCosts), is the number of rounds of blocks times the
/// mean cost of a block, but no less than the cost of the block with the most keys, which starts first; then the combine,
/// in which a compute unit has `elements` elements of each split.
std::uint32_t best_splits(std::int64_t tiles, std::int64_t rows, std::int64_t keys, std::int64_t mean,
                          std::int64_t slots, std::int64_t elements, const SplitCosts& costs) {
  std::int64_t best = 1, soonest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t splits = 1; splits <= most_splits && (splits - 1) * kg::attention_split_keys < keys;
       ++splits) {
    const std::int64_t fixed = costs.start + (splits > 1 ? rows * costs.partial_row : 0);
    const std::int64_t rounds = quotient_up(tiles * splits, slots) * (quotient_up(mean, splits) + fixed);
    const std::int64_t combine = splits > 1 ? costs.combine + splits * elements / costs.combined_elements : 0;
    const std::int64_t time = std::max(rounds, quotient_up(keys, splits) + fixed) + combine;
    if (time >= soonest) continue;
    soonest = time;
    best = splits;
  }
  return static_cast<std::uint32_t>(best);
}

/// With a causal mask a long tile that starts last would leave the rest of the GPU idle, so that tiles are ordered by their number
/// of keys across as many heads as have their keys and values in the L2. Where there are many tiles, the last ones hardly count.
std::int64_t heads_together(const AttentionProblem& problem, std::int64_t tiles) {
  constexpr std::int64_t cache_bytes = 32 << 20, many = 2048;
  const kg::AttentionShape& call = problem.call;
  if (call.window_right == std::numeric_limits<int>::max() || tiles > many) return 1;
  const std::int64_t bytes =
      std::int64_t{2} * call.keys * call.width * static_cast<std::int64_t>(size_of(problem.key_type));
  const std::int64_t heads = key_heads_of(call);
  return quotient_up(heads, quotient_up(heads, cache_bytes / (bytes + 1) + 1));
}

/// How the small kernel takes a call: one wave per row of q, or one block per row and split of the keys; what takes the least time.
struct SmallPlan {
  std::int64_t rows;       ///< of q, all heads and sequences
  std::int64_t waves = 1;  ///< per row and split
  std::int64_t splits = 1;
  std::int64_t iterations = 0;  ///< serialized key loads of one wave
  double time = std::numeric_limits<double>::infinity();

  SmallPlan(const kg::AttentionShape& call, DType key_type, const DeviceTraits& device)
      : rows(std::int64_t{call.batch} * call.heads * call.queries) {
    const unsigned widest = size_of(key_type) == 4 ? 4 : 8;
    const auto fits = [&](const kg::AttentionStrides& each) {
      return kg::attention_in_packs(each, call.width, widest);
    };
    const unsigned pack = fits(call.q) && fits(call.k) && fits(call.v) && fits(call.y) ? widest : 1;
    const auto wave = static_cast<unsigned>(device.wave_size);
    const unsigned lanes = kg::attention_key_lanes(call.width, pack, wave);
    const std::int64_t keys = keys_of(call, 1), at_a_time = wave / lanes * kg::attention_keys_together(pack);
    const std::int64_t chunks = quotient_up<std::int64_t>(keys, kg::attention_split_keys);
    const bool on_cuda = device.kind == DeviceKind::cuda;
    const double combine = on_cuda ? cuda_combine : hip_combine;
    const double block_time = small_key * kg::attention_keys_together(pack);
    const auto load_time = [&](double blocks) { return blocks / device.compute_units * block_time; };
    // The loads of all keys take no less, however they are divided.
    const double least = load_time(static_cast<double>(rows) * static_cast<double>(keys) /
                                   static_cast<double>(at_a_time * waves_of_block(device)));
    // Returns whether more splits can take less time than the best so far.
    const auto consider = [&](std::int64_t some_waves, std::int64_t some_splits) {
      const std::int64_t each =
          some_splits == 1 ? keys : quotient_up(chunks, some_splits) * kg::attention_split_keys;
      const std::int64_t loads = quotient_up(each, at_a_time * some_waves);
      const std::int64_t blocks = quotient_up(rows * some_waves * some_splits, waves_of_block(device));
      const auto rounds = static_cast<double>(quotient_up(blocks, device.per_unit(small_blocks)));
      const double start = small_start + small_round * (rounds - 1),
                   end = some_splits > 1 ? combine + small_split * static_cast<double>(some_splits) : 0;
      const double all = start +
                         static_cast<double>(loads) *
                             std::max(small_latency * rounds, load_time(static_cast<double>(blocks))) +
                         end;
      if (all < time) {
        waves = some_waves;
        splits = some_splits;
        iterations = loads;
        time = all;
      }
      return loads > 1 && start + least + end <= time;
    };
    consider(1, 1);
    // Elsewhere instructions decide (is_worth), so that rows that fill the device have a wave each.
    if (keys <= at_a_time || (!on_cuda && rows > device.per_unit(small_blocks))) return;
    const std::int64_t most = std::min(chunks, most_splits);
    for (std::int64_t count = 1; count <= most; ++count)
      if (!consider(waves_of_block(device), count)) break;
  }

  /// Whether this finishes before the larger kernels would have started.
  bool is_worth(const DeviceTraits& device) const {
    const double instructions =
        static_cast<double>(rows * waves * splits) *
        (static_cast<double>(iterations) * iteration_instructions + wave_instructions);
    return iterations <= small_max_iterations &&
           instructions <= small_max_instructions * device.compute_units;
  }
  AttentionPlan plan(const kg::AttentionShape& call, const DeviceTraits& device) const {
    const auto count = static_cast<std::uint32_t>(splits);
    return {AttentionForm::small, count,
            block_grid(quotient_up(rows * waves * splits, waves_of_block(device))),
            attention_tiles(call, kg::attention_small_rows, count)};
  }

 private:
  static std::int64_t waves_of_block(const DeviceTraits& device) {
    return kg::block_threads / static_cast<std::int64_t>(device.wave_size);
  }
};

/// Whether there are enough rows that share keys and, for f32, enough tiles with the largest number of splits.
bool is_worth_mma(const AttentionProblem& problem, const DeviceTraits& device) {
  // Warpgroups are memory-bound even with a single row.
  if (!problem.by_warpgroups && std::int64_t{problem.call.queries} * problem.call.group < mma_min_rows)
    return false;
  if (problem.type != DType::f32) return true;
  const std::int64_t most_splits = quotient_up(problem.call.keys, kg::attention_split_keys);
  return problem.key_type == problem.type &&
         tiles_of(problem.call, kg::attention_mma_rows) * most_splits * f32_units_per_tile >=
             device.compute_units;
}

/// Sets the block of the mma kernel.
void set_mma_block(LaunchShape& shape, bool has_rows64, const AttentionProblem& problem,
                   const DeviceTraits& device) {
  const unsigned width = problem.mma_width();
  const bool on_cuda = device.kind == DeviceKind::cuda;
  const auto bytes = static_cast<unsigned>(size_of(problem.type));
  if (has_rows64) {
    shape.block[0] = kg::attention_rows64_threads;
    shape.shared_bytes = kg::attention_rows64_shared_bytes(width, bytes);
    return;
  }
  if (problem.by_warpgroups) {
    shape.block[0] = kg::attention_warpgroup_threads;
    shape.shared_bytes = problem.has_few_keys()
                             ? kg::attention_few_keys_shared_bytes(problem.call.width, bytes)
                             : kg::attention_warpgroup_shared_bytes(width, bytes);
    return;
  }
  shape.block[0] = kg::attention_mma_threads(width, bytes, on_cuda);
  if (on_cuda) shape.shared_bytes = kg::attention_shared_bytes(width, bytes);
}

/// Requires a device with matrix instructions: older GPUs with waves of 64 are not CDNA.
bool is_cdna(const DeviceTraits& device) { return device.kind == DeviceKind::hip && device.wave_size == 64; }

const SplitCosts& mma_split_costs(const AttentionProblem& problem, const DeviceTraits& device) {
  if (is_cdna(device)) return cdna_split_costs;
  return device.kind == DeviceKind::cuda && problem.type == DType::f32 ? cuda_f32_split_costs : split_costs;
}

/// Resident blocks of the larger kernels on the device.
std::int64_t resident_blocks(const AttentionProblem& problem, bool by_mma, const DeviceTraits& device) {
  return device.per_unit(!by_mma ? simt_blocks : problem.mma_width() == 64 ? w64_blocks : wide_mma_blocks);
}

/// The best number of splits for the larger kernels.
std::uint32_t splits_of(const AttentionProblem& problem, bool by_mma, const DeviceTraits& device) {
  const kg::AttentionShape& call = problem.call;
  const unsigned rows = by_mma ? kg::attention_mma_rows : kg::attention_simt_rows;
  const std::int64_t all_rows = std::int64_t{call.queries} * call.group, keys = keys_of(call, rows);
  const std::int64_t elements = std::int64_t{call.batch} * call.heads * call.queries * call.width;
  return best_splits(tiles_of(call, rows), std::min<std::int64_t>(rows, all_rows), keys,
                     mean_keys(call, keys), resident_blocks(problem, by_mma, device),
                     elements / device.compute_units,
                     by_mma ? mma_split_costs(problem, device) : split_costs);
}

/// Estimated microseconds of the mma kernel over many keys of 16 bits: a block waits for memory, so that a key takes as long in a tile
/// of 64 columns as in one of 128.
double long_mma_time(const AttentionProblem& problem, std::uint32_t splits, const DeviceTraits& device) {
  constexpr double start = 4, block = 4, column = 1.2e-4, combine = 5;
  const std::int64_t blocks = tiles_of(problem.call, kg::attention_mma_rows) * splits;
  const auto rounds = static_cast<double>(quotient_up(blocks, resident_blocks(problem, true, device)));
  const auto keys = static_cast<double>(keys_of(problem.call, kg::attention_mma_rows)) / splits;
  return start + rounds * (block + keys * std::max(problem.mma_width(), 128u) * column) +
         (splits > 1 ? combine : 0);
}

/// The same of the FMA kernel, by the products of a compute unit: of the rows of a tile, each after the first adds half as much.
double long_simt_time(const kg::AttentionShape& call, const DeviceTraits& device) {
  constexpr double start = 16, key = 0.005, column = 2.8e-4;
  const auto rows = static_cast<double>(
      std::min(std::uint64_t{call.queries} * call.group, std::uint64_t{kg::attention_simt_rows}));
  const double keys = static_cast<double>(keys_of(call, kg::attention_simt_rows)) *
                      static_cast<double>(tiles_of(call, kg::attention_simt_rows)) / device.compute_units;
  return start + keys * (key + column * call.width * (rows + 1) / 2);
}

/// Tiles of warpgroups: rows, resident blocks per compute unit, and microseconds of a block's start and end and of each 64 keys, which
/// other tiles have brought into the cache or not. Fitted to drawn calls on an H200.
struct WarpgroupTile {
  unsigned rows;
  std::int64_t blocks;
  double start, keys, new_keys;
};

/// Whether tiles of 64 rows take clearly less time than those of attention_mma_rows. Several of their blocks share a compute unit, which
/// hides how long a tile takes to start and end but not its steps: it pays off for many tiles over up to about a thousand keys.
bool is_worth_rows64(const AttentionProblem& problem, const DeviceTraits& device) {
  if (!problem.by_warpgroups || problem.has_few_keys()) return false;
  constexpr double clearly = 0.93;
  const auto time = [&](const WarpgroupTile& tile) {
    const std::int64_t most = keys_of(problem.call, tile.rows);
    const std::int64_t mean = std::min(most, mean_keys(problem.call, most) + tile.rows / 2);
    const auto of_keys = [&](std::int64_t keys) {
      return tile.start + (row_tiles_of(problem.call, tile.rows) == 1 ? tile.new_keys : tile.keys) *
                              static_cast<double>(quotient_up<std::int64_t>(keys, 64));
    };
    const auto rounds =
        static_cast<double>(quotient_up(tiles_of(problem.call, tile.rows), device.per_unit(tile.blocks)));
    return std::max(rounds * of_keys(mean), of_keys(most));
  };
  const auto is_sooner = [&](const WarpgroupTile& rows64, const WarpgroupTile& rows128) {
    return time(rows64) < clearly * time(rows128);
  };
  constexpr unsigned less = kg::attention_rows64, more = kg::attention_mma_rows;
  switch (problem.mma_width()) {
    case 64:
      return is_sooner({less, 4, 4.5, 1.42, 2.7}, {more, 2, 5.6, 1.35, 1.35});
    case 128:
      return is_sooner({less, 3, 4.5, 1.7, 2.6}, {more, 1, 6.7, 0.93, 0.93});
    default:
      return is_sooner({less, 2, 5.4, 2.05, 3}, {more, 1, 7.4, 1.64, 1.64});
  }
}

bool is_of_f32(const AttentionProblem& problem) {
  return problem.type == DType::f32 && problem.key_type == DType::f32;
}

/// Whether the times of forms can be estimated. They are fitted to 420 drawn calls on an H200, in microseconds.
bool has_times(const AttentionProblem& problem, const DeviceTraits& device) {
  return device.kind == DeviceKind::cuda && (problem.by_warpgroups || is_of_f32(problem));
}

/// The form that takes the least time for a call over few keys, or nullopt for others and where times cannot be estimated. Blocks take a
/// time for a tile and one for each product of a key with a row, in rounds.
std::optional<AttentionForm> fastest_form(const AttentionProblem& problem, const SmallPlan& small,
                                          const DeviceTraits& device) {
  constexpr unsigned few_keys = 256, few_keys_f32 = 128;
  const kg::AttentionShape& call = problem.call;
  const bool is_f32 = is_of_f32(problem);
  if (!has_times(problem, device) || call.keys > (is_f32 ? few_keys_f32 : few_keys)) return {};
  struct Costs {
    double start, tile, column, product;
  };
  const auto time = [&](const Costs& costs, unsigned rows, unsigned width, std::int64_t blocks) {
    const auto rounds = static_cast<double>(quotient_up(tiles_of(call, rows), device.per_unit(blocks)));
    return costs.start + rounds * (costs.tile + width * (costs.column + call.keys * costs.product));
  };
  const bool has_one_block = problem.has_few_keys() ? call.width > 192 : problem.mma_width() > 64;
  const double mma_time = !problem.allows_mma
                              ? std::numeric_limits<double>::infinity()
                              : time(is_f32 ? Costs{4, 9, 0.02, 1.0 / 800} : Costs{3, 4.5, 0.008, 1.2e-4},
                                     kg::attention_mma_rows, problem.mma_width(), has_one_block ? 1 : 2);
  const double simt_time = time({4, std::uint64_t{call.queries} * call.group > 2 ? 10.0 : 5.0, 0, 1.0 / 1500},
                                kg::attention_simt_rows, call.width, 1);
  if (small.time < std::min(mma_time, simt_time)) return AttentionForm::small;
  return mma_time < simt_time ? AttentionForm::mma : AttentionForm::simt;
}

AttentionPlan plan_on_cpu(const kg::AttentionShape& call, int threads) {
  const std::int64_t tiles = tiles_of(call, kg::attention_cpu_rows);
  const std::int64_t keys = keys_of(call, kg::attention_cpu_rows);
  const double work =
      static_cast<double>(call.batch) * call.heads * call.queries * static_cast<double>(keys) * call.width;
  const auto planned = [&](std::int64_t splits, LaunchShape shape) {
    const auto count = static_cast<std::uint32_t>(splits);
    return AttentionPlan{AttentionForm::simt, count, shape,
                         attention_tiles(call, kg::attention_cpu_rows, count)};
  };
  if (threads == 1 || work < cpu_min_multiplications) return planned(1, {});
  const std::int64_t splits =
      std::max<std::int64_t>(std::min(quotient_up(std::int64_t{threads}, tiles), keys / cpu_split_keys), 1);
  return planned(splits, block_grid(std::min<std::int64_t>(tiles * splits, threads * 64), 1));
}

}  // namespace

AttentionPlan plan_attention(const AttentionProblem& problem, const DeviceTraits& device) {
  const kg::AttentionShape& call = problem.call;
  if (device.on_cpu()) return plan_on_cpu(call, device.threads);
  const SmallPlan small(call, problem.key_type, device);
  const std::optional<AttentionForm> fastest = fastest_form(problem, small, device);
  const bool by_mma =
      fastest ? fastest == AttentionForm::mma : problem.allows_mma && is_worth_mma(problem, device);
  // Over many keys, there are estimates for tiles of 16 bits and for FMA rows of f32.
  const bool is_timed = !fastest && has_times(problem, device) && by_mma != is_of_f32(problem);
  if (fastest ? fastest == AttentionForm::small : !is_timed && small.is_worth(device))
    return small.plan(call, device);
  const std::uint32_t splits = splits_of(problem, by_mma, device);
  if (is_timed &&
      small.time < (by_mma ? long_mma_time(problem, splits, device) : long_simt_time(call, device)))
    return small.plan(call, device);
  const bool has_rows64 = by_mma && splits == 1 && is_worth_rows64(problem, device);
  const unsigned rows = has_rows64 ? kg::attention_rows64
                        : by_mma   ? kg::attention_mma_rows
                                   : kg::attention_simt_rows;
  // An AMD GPU's caches are smaller, and each of its chiplets has its own L2.
  const std::int64_t together =
      device.kind == DeviceKind::cuda ? heads_together(problem, tiles_of(call, rows) * splits) : 1;
  const kg::AttentionTiles divided = attention_tiles(call, rows, splits, together);
  AttentionPlan plan{by_mma ? AttentionForm::mma : AttentionForm::simt, splits, block_grid(divided.count),
                     divided, has_rows64};
  if (by_mma) set_mma_block(plan.shape, has_rows64, problem, device);
  return plan;
}

LaunchShape attention_combine_grid(std::int64_t elements, std::uint32_t splits, const DeviceTraits& device) {
  return element_grid(elements * (device.on_cpu() ? splits : 1), 1, device);
}

}  // namespace kernelgen
