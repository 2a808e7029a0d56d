#include "ops/attention_form.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "ops/grid.hpp"
#include "ops/operation.hpp"

namespace kernelgen {
namespace {

/// Minimum rows that share keys for matrix instructions to pay off. f32 tiles take three times as long, so
/// for f32 at least 1 / least_share of the compute units must have a tile.
constexpr std::int64_t worth_a_tile = 16, least_share = 8;
/// Instructions of a wave there: for one iteration over keys, and fixed overhead.
constexpr double turn_instructions = 450, wave_instructions = 300;
/// Limits for the small kernel: instructions per compute unit and serialized memory waits. Below them, the
/// faster start outweighs the throughput of the larger kernels. Then the blocks in flight per compute unit.
constexpr double few_instructions = 40000;
constexpr std::int64_t few_turns = 6, small_blocks = 2;
/// Costs in units of keys: starting a GPU block, one row's partial results, and starting the combine.
constexpr std::int64_t start_keys = 128, partial_keys = 2, combine_keys = 256;
/// Blocks in flight per compute unit: tiles with rows of up to 64 elements, other tiles, and kernels without
/// tiles.
constexpr std::int64_t narrow_tile_blocks = 2, tile_blocks = 1, rows_blocks = 4;
/// Maximum number of splits of the keys.
constexpr std::int64_t most_splits = 64;
/// Keys that justify a piece for another CPU thread, and multiplications that justify waking it.
constexpr std::int64_t cpu_split_keys = 512;
constexpr double worth_a_thread = 256 * 1024;

/// The maximum number of keys visible to a group of consecutive rows.
std::int64_t keys_of(const kg::AttentionShape& call, std::int64_t rows) {
  constexpr int all = std::numeric_limits<int>::max();
  if (call.before == all || call.after == all) return call.keys;
  const std::int64_t queries = std::min<std::int64_t>(rows / call.group + 1, call.queries);
  return std::min<std::int64_t>(call.keys, std::int64_t{call.before} + call.after + queries);
}

/// The number of splits that minimizes the time for `pieces` pieces of `rows` rows and `keys` keys, with
/// `slots` blocks in flight. Time is the number of waves of blocks times the keys per block.
std::uint32_t best_splits(std::int64_t pieces, std::int64_t rows, std::int64_t keys, std::int64_t slots) {
  std::int64_t best = 1, soonest = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t splits = 1;
       splits <= most_splits && splits * kg::attention_split_keys <= keys + kg::attention_split_keys;
       ++splits) {
    const std::int64_t each = quotient_up(keys, splits) + start_keys + (splits > 1 ? rows * partial_keys : 0);
    const std::int64_t time = quotient_up(pieces * splits, slots) * each + (splits > 1 ? combine_keys : 0);
    if (time >= soonest) continue;
    soonest = time;
    best = splits;
  }
  return static_cast<std::uint32_t>(best);
}

/// The matrix-instruction kernel for rows of `width` elements, if the device's target has a suitable one. The
/// fallback kernel stages no keys in shared memory. On CUDA devices the launch sets shared memory, and all
/// targets have the kernel.
std::optional<std::uint32_t> tile_kernel(const Device& device, unsigned width, DType type, DType key_type) {
  const Operation operation =
      Operation::builtin(device, key_type == type ? Builtin::attention_mma : Builtin::attention_mma_f8);
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form(width == 64    ? "w64"
                                                                           : width == 128 ? "w128"
                                                                                          : "w256"));
  const DeviceState& state = state_of(device);
  if (state.kind() != DeviceKind::cuda &&
      state.kernels().resources(kernel).lds_bytes < kg::attention_least_tile_keys * width * size_of(type))
    return {};
  return kernel;
}

/// The kernel `form` that takes rows of any layout.
std::uint32_t plain_kernel(const Device& device, std::string_view form, DType type, DType key_type) {
  const Operation operation =
      Operation::builtin(device, key_type == type ? Builtin::attention : Builtin::attention_f8);
  return operation.kernel({&type, 1}, operation.form(form));
}

/// How the kernel for small calls takes a call: one block or one wave per row of q.
struct SmallPlan {
  std::int64_t rows, waves;  ///< per row
  std::int64_t turns;        ///< serialized key loads of one wave
  double instructions;       ///< of all waves

  SmallPlan(const kg::AttentionShape& call, DType key_type, const DeviceInfo& device)
      : rows(std::int64_t{call.batch} * call.heads * call.queries), waves(1) {
    const unsigned widest = size_of(key_type) == 4 ? 4 : 8;
    const auto fits = [&](const kg::AttentionRows& each) {
      return kg::attention_in_packs(each, call.width, widest);
    };
    const unsigned pack = fits(call.q) && fits(call.k) && fits(call.v) && fits(call.y) ? widest : 1;
    const auto wave = static_cast<unsigned>(device.wave_size);
    const unsigned lanes = kg::attention_key_lanes(call.width, pack, wave);
    const std::int64_t keys = keys_of(call, 1), at_a_time = wave / lanes * kg::attention_keys_together(pack);
    if (keys > at_a_time && rows <= small_blocks * device.compute_units) waves = kg::block_threads / wave;
    turns = quotient_up(keys, at_a_time * waves);
    instructions = static_cast<double>(rows * waves) *
                   (static_cast<double>(turns) * turn_instructions + wave_instructions);
  }

  /// Whether this finishes before the larger kernels would have started.
  bool is_worth(const DeviceInfo& device) const {
    return turns <= few_turns && instructions <= few_instructions * device.compute_units;
  }
  LaunchShape shape(const DeviceInfo& device) const {
    const std::int64_t waves_of_block = kg::block_threads / static_cast<std::int64_t>(device.wave_size);
    return block_grid(quotient_up(rows * waves, waves_of_block));
  }
};

/// Whether there are at least `least` rows for a tile, and enough tiles when each has as few keys as
/// possible.
bool is_worth_tiles(const kg::AttentionShape& call, DType type, DType key_type, std::int64_t least,
                    int units) {
  if (std::int64_t{call.queries} * call.group < least) return false;
  if (type != DType::f32) return true;
  kg::AttentionShape parts = call;
  parts.splits = quotient_up(call.keys, kg::attention_split_keys);
  return key_type == type &&
         kg::attention_pieces(parts, kg::attention_mma_rows) * least_share >= static_cast<unsigned>(units);
}

/// Whether the kernel uses warpgroup instructions: four waves multiply together. They require 16-bit elements
/// in q and in the keys.
bool by_warpgroups(const DeviceState& device, DType type, DType key_type) {
  if (key_type != type || size_of(type) != 2) return false;
  const auto tile = device.kernels().find_operation("attention_mma");
  return tile && tile->package->text(tile->package->targets()[tile->target].name) == "sm_90";
}

/// Sets the block of that kernel.
void set_block(LaunchShape& shape, const DeviceState& device, unsigned width, DType type, DType key_type) {
  const bool on_cuda = device.kind() == DeviceKind::cuda;
  const auto bytes = static_cast<unsigned>(size_of(type));
  if (by_warpgroups(device, type, key_type)) {
    shape.block[0] = kg::attention_warpgroup_threads;
    shape.shared_bytes = kg::attention_warpgroup_shared_bytes(width, bytes);
    return;
  }
  shape.block[0] = kg::attention_mma_threads(width, bytes, on_cuda);
  if (on_cuda) shape.shared_bytes = kg::attention_shared_bytes(width, bytes);
}

/// The launch and splits of the CPU kernel.
void spread_over_threads(AttentionForm& form, kg::AttentionShape call, int threads) {
  call.splits = 1;
  const auto pieces = static_cast<std::int64_t>(kg::attention_pieces(call, kg::attention_cpu_rows));
  const std::int64_t keys = keys_of(call, kg::attention_cpu_rows);
  const double work =
      static_cast<double>(call.batch) * call.heads * call.queries * static_cast<double>(keys) * call.width;
  if (threads == 1 || work < worth_a_thread) return;
  const std::int64_t splits = std::min(quotient_up(std::int64_t{threads}, pieces), keys / cpu_split_keys);
  form.splits = static_cast<std::uint32_t>(std::max<std::int64_t>(splits, 1));
  form.shape.grid[0] = static_cast<std::uint32_t>(std::min<std::int64_t>(pieces * form.splits, threads * 64));
}

/// The launch and splits of a GPU kernel that takes `rows` rows per block, with `slots` blocks in flight.
void spread_over_blocks(AttentionForm& form, kg::AttentionShape call, unsigned rows, std::int64_t slots) {
  call.splits = 1;
  const auto pieces = static_cast<std::int64_t>(kg::attention_pieces(call, rows));
  const std::int64_t all_rows = std::int64_t{call.queries} * call.group;
  form.splits = best_splits(pieces, std::min<std::int64_t>(rows, all_rows), keys_of(call, rows), slots);
  form.shape = block_grid(pieces * form.splits);
}

}  // namespace

AttentionForm AttentionForm::of(const Device& device, const kg::AttentionShape& call, DType type,
                                DType key_type, bool tiles_allowed) {
  const DeviceState& state = state_of(device);
  AttentionForm form{plain_kernel(device, "simt", type, key_type), false, {}, 1};
  if (state.threads() > 0) {
    spread_over_threads(form, call, state.threads());
    return form;
  }
  const DeviceInfo& info = state.driver().info();
  if (const SmallPlan brief(call, key_type, info); brief.is_worth(info)) {
    form.kernel = plain_kernel(device, "small", type, key_type);
    form.shape = brief.shape(info);
    return form;
  }
  const unsigned width = call.width <= 64 ? 64 : call.width <= 128 ? 128 : 256;
  // Warpgroups are memory-bound even with a single row.
  const std::int64_t least = by_warpgroups(state, type, key_type) ? 1 : worth_a_tile;
  if (tiles_allowed && is_worth_tiles(call, type, key_type, least, info.compute_units))
    if (const auto tile = tile_kernel(device, width, type, key_type)) {
      form.kernel = *tile;
      form.by_tiles = true;
    }
  const int units = info.compute_units;
  const std::int64_t blocks = !form.by_tiles ? rows_blocks : width == 64 ? narrow_tile_blocks : tile_blocks;
  spread_over_blocks(form, call, form.by_tiles ? kg::attention_mma_rows : kg::attention_rows_each,
                     std::int64_t{std::max(units, 1)} * blocks);
  if (form.by_tiles) set_block(form.shape, state, width, type, key_type);
  return form;
}

}  // namespace kernelgen
