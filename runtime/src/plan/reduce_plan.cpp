#include "plan/reduce_plan.hpp"

#include "plan/grid.hpp"

namespace kernelgen {
namespace {

/// Blocks per compute unit that saturate a GPU, and minimum elements per block: for contiguous and for
/// strided elements.
constexpr std::int64_t busy_blocks = 8, gpu_grain = 8 * 1024, gpu_single_grain = 2 * 1024;
/// With less than a block for this many compute units, a GPU's memory bandwidth is underused.
constexpr std::int64_t few_blocks_units = 2;
/// Fewer elements than this underuse a block.
constexpr std::int64_t short_task = 2048;
/// Row lengths, and the number of such rows, at which CPU vectors take one row per lane: the shorter limit
/// applies to kernels that transpose rows.
constexpr std::int64_t short_row = 24, shorter_row = 8, many_short_rows = 64;
/// Rows of columns that a GPU thread has in flight per iteration, and takes before it shares them with others.
constexpr std::int64_t rows_at_once = 4, rows_each = 32;
/// Results per CPU task of the second launch.
constexpr std::int64_t combined_results = 256;

bool by_columns(const ReduceProblem& problem, const DeviceTraits& device) {
  const auto& [kind, bytes, is_float, outputs, count, columns, column_stride, term_stride, dims] = problem;
  if (device.on_cpu()) {
    // A CPU processes many short rows as columns.
    const bool is_transposed = is_float && (kind == kg::StateKind::sum || kind == kg::StateKind::extreme);
    if (count <= (is_transposed ? shorter_row : short_row) && columns >= many_short_rows) return true;
  }
  if (column_stride != 1 || columns == 1 || term_stride == 1) return false;
  // A few short columns do not fill a GPU block: one thread or a small group takes each column.
  return device.on_cpu() || columns >= short_task || count >= short_task || columns * count >= short_task;
}

/// The number of splits per result, for `blocks` blocks without splitting and at least `grain` elements per
/// block.
std::uint32_t splits_of(const ReduceProblem& problem, std::int64_t blocks, std::int64_t grain,
                        const DeviceTraits& device) {
  const std::int64_t busy = device.on_cpu() ? device.threads * 2 : device.per_unit(busy_blocks);
  grain = std::max<std::int64_t>(grain, 1);
  // The second launch costs a GPU more than a block needs for a few grains.
  if (!device.on_cpu() && problem.count <= 4 * grain) return 1;
  // Once a second launch is needed, blocks of half a grain use more of the device.
  const std::int64_t least = device.on_cpu() ? grain : std::max<std::int64_t>(1, grain / 2);
  const std::int64_t wanted = std::min(quotient_up(busy, blocks), problem.count / least);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(1, wanted));
}

ReducePlan plan_rows_form(const ReduceProblem& problem, const DeviceTraits& device) {
  const std::int64_t outputs = problem.outputs, count = problem.count;
  const bool is_contiguous = problem.reduced_dims == 1 && problem.term_stride == 1;
  // Eight accesses of 16 bytes per thread keep most groups within one wave, which needs no barrier. Single
  // elements also take eight if outputs alone do not saturate a GPU.
  const std::int64_t threads_each = device.busy_threads() / outputs;
  const std::uint32_t by_packs = power_of_two(count / (128 / problem.element_bytes), kg::block_threads);
  const std::uint32_t by_elements =
      is_contiguous ? 1 : power_of_two(std::min(count / 8, threads_each), kg::block_threads);
  // With few elements, each thread of a wave takes one, so that their loads are in flight together.
  const std::uint32_t by_wave =
      power_of_two(std::min(count, threads_each), static_cast<std::uint32_t>(device.wave_size));
  const std::uint32_t group = std::max({by_packs, by_wave, by_elements});

  ReducePlan plan{false, group, 1, {}};
  if (device.on_cpu()) {
    const std::int64_t blocks = quotient_up(outputs, std::max<std::int64_t>(1, 1024 / count));
    plan.splits = splits_of(problem, blocks, cpu_grain, device);
    plan.shape = cpu_task_grid(blocks * plan.splits, outputs * count, device);
    return plan;
  }
  const LaunchShape whole = group_grid(outputs, group);
  plan.splits = splits_of(problem, whole.grid[0], is_contiguous ? gpu_grain : gpu_single_grain, device);
  plan.shape = block_grid(std::int64_t{whole.grid[0]} * plan.splits, whole.block[0]);
  return plan;
}

ReducePlan plan_columns_form(const ReduceProblem& problem, const DeviceTraits& device) {
  const std::int64_t outputs = problem.outputs, count = problem.count, columns = problem.columns;
  const std::int64_t pack = kg::column_pack(problem.element_bytes, problem.state_bytes());
  const auto blocks_of = [&](std::uint32_t across) {
    return quotient_up(columns, across * pack) * (outputs / columns);
  };
  // Threads of a block split a few long rows along columns, and many rows along rows as well; more of them along rows if there
  // would be too few blocks.
  const std::uint32_t slices = power_of_two(std::max<std::int64_t>(1, count / rows_each), 8),
                      most_slices = power_of_two(quotient_up(count, 8), 8);
  const auto threads = std::uint32_t{kg::block_threads};
  std::uint32_t across = power_of_two(quotient_up(columns, pack), std::max(32u, threads / slices));
  while (across > std::max(32u, threads / most_slices) && blocks_of(across) < device.per_unit(busy_blocks))
    across /= 2;
  // Few blocks that are not worth splitting take part of an access each, which yields more blocks.
  const auto has_few_blocks = [&] {
    return blocks_of(across) * few_blocks_units < device.compute_units &&
           count <= 4 * (gpu_grain / (across * pack) * 2);
  };
  while (across > 1 && count * across > kg::block_threads * 8 && has_few_blocks()) across /= 2;
  const std::int64_t tile = device.on_cpu() ? std::int64_t{kg::cpu_lanes} : across * pack;
  const std::int64_t blocks = quotient_up(columns, tile) * (outputs / columns);
  const std::int64_t grain = device.on_cpu() ? cpu_grain / std::min(tile, columns) : gpu_grain / tile * 2;

  ReducePlan plan{true, across, splits_of(problem, blocks, grain, device), {}};
  // More threads along a column than rows in flight per iteration are useless.
  const std::int64_t busy =
      across * power_of_two(quotient_up(count, plan.splits * rows_at_once), kg::block_threads);
  plan.shape = device.on_cpu() ? cpu_task_grid(blocks * plan.splits, outputs * count, device)
                               : block_grid(blocks * plan.splits, block_of(busy));
  return plan;
}

}  // namespace

ReducePlan plan_reduce(const ReduceProblem& problem, const DeviceTraits& device) {
  return by_columns(problem, device) ? plan_columns_form(problem, device) : plan_rows_form(problem, device);
}

CombinePlan plan_combine(const ReduceProblem& problem, std::uint32_t parts, const DeviceTraits& device) {
  const std::uint32_t group = power_of_two(parts / 4, kg::block_threads);
  return {group, device.on_cpu() ? cpu_task_grid(quotient_up(problem.outputs, combined_results),
                                                 problem.outputs * problem.count, device)
                                 : group_grid(problem.outputs, group)};
}

}  // namespace kernelgen
