#include "plan/attention_plan.hpp"

#include <algorithm>
#include <limits>

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
/// Tiles of warpgroups, with times in microseconds that were fitted to 320 drawn calls on an H200.
struct WarpgroupTile {
  unsigned rows;
  std::int64_t blocks;  ///< resident per compute unit
  double start;         ///< start and end of a block
  double step;          ///< 64 keys of a block that has the compute unit to itself
  double shared_keys;   ///< 64 keys of each of several blocks, which other tiles have brought into the cache
  double new_keys;      ///< the same of keys that come from memory
};
constexpr WarpgroupTile w64_rows64{kg::attention_rows64, 4, 2.3, 0.84, 0.46, 0.56},
    w128_rows64{kg::attention_rows64, 3, 2.9, 1.27, 0.71, 0.83},
    w256_rows64{kg::attention_rows64, 2, 3.1, 1.95, 1.2, 1.9},
    w256{kg::attention_mma_rows, 1, 5.6, 1.54, 1.98, 1.54};
/// The launch of the kernel, that of the one that combines splits, and 1000 results and partial results of a compute unit.
constexpr double warpgroup_launch = 4.4, warpgroup_combine = 3.5, warpgroup_results = 2.4,
                 warpgroup_partials = 0.35;
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
  if (std::int64_t{problem.call.queries} * problem.call.group < mma_min_rows) return false;
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
    shape.shared_bytes = kg::attention_warpgroup_shared_bytes(bytes);
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

/// Estimated microseconds of the FMA kernel over many keys of f32, by the products of a compute unit: of the rows of a tile, each after
/// the first adds half as much.
double long_simt_time(const kg::AttentionShape& call, const DeviceTraits& device) {
  constexpr double start = 16, key = 0.005, column = 2.8e-4;
  const auto rows = static_cast<double>(
      std::min(std::uint64_t{call.queries} * call.group, std::uint64_t{kg::attention_simt_rows}));
  const double keys = static_cast<double>(keys_of(call, kg::attention_simt_rows)) *
                      static_cast<double>(tiles_of(call, kg::attention_simt_rows)) / device.compute_units;
  return start + keys * (key + column * call.width * (rows + 1) / 2);
}

/// A kind of tile, how many splits of the keys, and the time that those take.
struct WarpgroupPlan {
  const WarpgroupTile* tile;
  std::int64_t splits;
  double time;
};

/// What a kind of tile takes for a call, in microseconds.
class WarpgroupTimes {
 public:
  WarpgroupTimes(const kg::AttentionShape& call, const WarpgroupTile& tile, const DeviceTraits& device)
      : tile_(tile),
        units_(device.compute_units),
        tiles_(tiles_of(call, tile.rows)),
        resident_(device.per_unit(tile.blocks)),
        chunks_(quotient_up<std::int64_t>(keys_of(call, tile.rows), kg::attention_split_keys)),
        keys_(row_tiles_of(call, tile.rows) == 1 ? tile.new_keys : tile.shared_keys),
        results_(static_cast<double>(call.batch) * call.heads * call.queries * call.width / 1000 / units_) {
    const std::int64_t most = keys_of(call, tile.rows), mean = mean_keys(call, most);
    if (mean < most)
      mean_steps_ = static_cast<double>(std::min(most, mean + tile.rows / 2)) / kg::attention_split_keys;
  }
  /// Splits that have keys; none without keys.
  std::int64_t splits() const { return std::min(most_splits, chunks_); }
  /// Blocks take their time in rounds, but no less than the one with the most keys, which starts first.
  double of(std::int64_t splits) const {
    const auto count = static_cast<double>(splits),
               longest = static_cast<double>(quotient_up(chunks_, splits)),
               steps = mean_steps_ > 0 ? std::max(1.0, mean_steps_ / count) : longest;
    const std::int64_t blocks = tiles_ * splits,
                       together = std::min(quotient_up(blocks, units_), tile_.blocks);
    const double step = std::max(tile_.step, static_cast<double>(together) * keys_);
    // Most of the last round's blocks start while others are still running.
    const double rounds = blocks <= resident_
                              ? 1
                              : 0.9 * static_cast<double>(quotient_up(blocks, resident_)) +
                                    0.1 * static_cast<double>(blocks) / static_cast<double>(resident_);
    const double time = std::max(rounds * (tile_.start + steps * step), tile_.start + longest * step);
    const double combined = (warpgroup_results + warpgroup_partials * count) * results_;
    return warpgroup_launch + time + (splits > 1 ? warpgroup_combine + combined : 0);
  }

 private:
  const WarpgroupTile& tile_;
  std::int64_t units_, tiles_, resident_, chunks_;
  double keys_, results_;  ///< of 64 keys; thousands of results of a compute unit
  double mean_steps_ = 0;  ///< of a tile; 0 if all have as many
};

WarpgroupPlan fastest_warpgroups(const AttentionProblem& problem, const DeviceTraits& device) {
  WarpgroupPlan best{nullptr, 1, std::numeric_limits<double>::infinity()};
  const auto consider = [&](const WarpgroupTile& tile) {
    const WarpgroupTimes times(problem.call, tile, device);
    for (std::int64_t splits = 1; splits <= times.splits(); ++splits)
      if (const double time = times.of(splits); time < best.time) best = {&tile, splits, time};
  };
  consider(problem.mma_width() == 64 ? w64_rows64 : problem.mma_width() == 128 ? w128_rows64 : w256_rows64);
  if (problem.mma_width() == 256) consider(w256);
  return best;
}

/// The form that takes the least time for a call of f32 over few keys. Blocks take a time for a tile and one for each product of a key
/// with a row, in rounds. Fitted to drawn calls on an H200, in microseconds.
AttentionForm fastest_f32_form(const AttentionProblem& problem, const SmallPlan& small,
                               const DeviceTraits& device) {
  const kg::AttentionShape& call = problem.call;
  struct Costs {
    double start, tile, column, product;
  };
  const auto time = [&](const Costs& costs, unsigned rows, unsigned width, std::int64_t blocks) {
    const auto rounds = static_cast<double>(quotient_up(tiles_of(call, rows), device.per_unit(blocks)));
    return costs.start + rounds * (costs.tile + width * (costs.column + call.keys * costs.product));
  };
  const double mma_time = !problem.allows_mma ? std::numeric_limits<double>::infinity()
                                              : time({4, 9, 0.02, 1.0 / 800}, kg::attention_mma_rows,
                                                     problem.mma_width(), problem.mma_width() > 64 ? 1 : 2);
  const double simt_time = time({4, std::uint64_t{call.queries} * call.group > 2 ? 10.0 : 5.0, 0, 1.0 / 1500},
                                kg::attention_simt_rows, call.width, 1);
  if (small.time < std::min(mma_time, simt_time)) return AttentionForm::small;
  return mma_time < simt_time ? AttentionForm::mma : AttentionForm::simt;
}

/// A launch of tiles of `rows` rows.
AttentionPlan plan_tiles(const AttentionProblem& problem, AttentionForm form, unsigned rows,
                         std::uint32_t splits, const DeviceTraits& device) {
  const kg::AttentionShape& call = problem.call;
  // An AMD GPU's caches are smaller, and each of its chiplets has its own L2.
  const std::int64_t together =
      device.kind == DeviceKind::cuda ? heads_together(problem, tiles_of(call, rows) * splits) : 1;
  const kg::AttentionTiles tiles = attention_tiles(call, rows, splits, together);
  AttentionPlan plan{form, splits, block_grid(tiles.count), tiles,
                     form == AttentionForm::mma && rows == kg::attention_rows64};
  if (form == AttentionForm::mma) set_mma_block(plan.shape, plan.has_rows64, problem, device);
  return plan;
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
  if (problem.by_warpgroups && problem.allows_mma) {
    const WarpgroupPlan best = fastest_warpgroups(problem, device);
    if (small.time < best.time) return small.plan(call, device);
    return plan_tiles(problem, AttentionForm::mma, best.tile->rows, static_cast<std::uint32_t>(best.splits),
                      device);
  }
  // Of f32 on NVIDIA's GPUs, there are estimates of all forms over few keys, and of FMA rows over many.
  constexpr unsigned few_keys = 128;
  const bool has_times =
      device.kind == DeviceKind::cuda && problem.type == DType::f32 && problem.key_type == DType::f32;
  const bool has_few_keys = has_times && call.keys <= few_keys;
  AttentionForm form = has_few_keys ? fastest_f32_form(problem, small, device)
                       : problem.allows_mma && is_worth_mma(problem, device) ? AttentionForm::mma
                                                                             : AttentionForm::simt;
  if (!has_few_keys && (has_times && form == AttentionForm::simt ? small.time < long_simt_time(call, device)
                                                                 : small.is_worth(device)))
    form = AttentionForm::small;
  if (form == AttentionForm::small) return small.plan(call, device);
  const bool by_mma = form == AttentionForm::mma;
  return plan_tiles(problem, form, by_mma ? kg::attention_mma_rows : kg::attention_simt_rows,
                    splits_of(problem, by_mma, device), device);
}

LaunchShape attention_combine_grid(std::int64_t elements, std::uint32_t splits, const DeviceTraits& device) {
  return element_grid(elements * (device.on_cpu() ? splits : 1), 1, device);
}

}  // namespace kernelgen
