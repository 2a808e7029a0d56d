#include "plan/quantized_plan.hpp"

#include <algorithm>
#include <numeric>

#include "plan/grid.hpp"
#include "plan/quantized.hpp"

namespace kernelgen {
namespace {

/// Blocks in flight per compute unit that saturate it, and threads per weight row: one wave of 32.
constexpr std::int64_t blocks_per_unit = 2, threads_per_row = 32;
/// Minimum multiplications of bytes that justify waking a CPU thread.
constexpr std::int64_t worth_a_thread = 256 * 1024;

/// Columns up to which reading an expert again for each column is faster than grouping columns by expert: as many as fill a tile,
/// or so many that few share an expert. A partly filled tile takes as long as a full one.
std::int64_t most_ungrouped(const QuantizedProblem& problem, const DeviceTraits& device) {
  return std::max<std::int64_t>(kg::quantized_columns,
                                device.on_cpu() ? problem.experts / 2 : 2 * problem.experts);
}

bool is_by_vector(const QuantizedProblem& problem, const DeviceTraits& device) {
  if (problem.terms > kg::quantized_shared_terms) return false;
  return problem.columns == 1 || (problem.is_indexed && problem.columns <= most_ungrouped(problem, device));
}

/// Columns up to which reading the weights once per tile takes less than dequantizing them, and columns per expert from which
/// a tile of 16 is filled enough.
constexpr std::int64_t most_tiled = 128, least_shared = 4;

bool is_by_tiles(const QuantizedProblem& problem, const DeviceTraits& device) {
  if (device.on_cpu() || !device.has_matrix_units || problem.rows == 1) return false;
  if (problem.is_indexed) return problem.columns >= least_shared * problem.experts;
  return problem.columns > kg::quantized_columns && problem.columns <= most_tiled;
}

/// Whether there are so many columns that dequantizing the weights once costs less than reading them again
/// per tile. A CPU with 4-way byte dot products, and a GPU without matrix instructions, multiply bytes faster.
bool is_dense(const QuantizedProblem& problem, const DeviceTraits& device) {
  if (problem.is_indexed || problem.columns <= kg::quantized_columns || problem.rows == 1) return false;
  return device.on_cpu() ? !device.has_byte_dots : device.has_matrix_units;
}

/// Tiles of a product's columns; one of each expert may be partly filled.
std::int64_t tiles_of(const QuantizedProblem& problem, std::int64_t width) {
  const std::int64_t partial = problem.is_indexed ? problem.experts : 0;
  return std::min(problem.columns, quotient_up(problem.columns, width) + partial);
}

/// Splits of the terms so that blocks fill the device: a tile's loop mostly waits for memory. Each has at least two iterations.
std::uint32_t k_splits_of(const QuantizedProblem& problem, std::int64_t blocks, const DeviceTraits& device) {
  constexpr std::int64_t fewest_slices = 2 * kg::quantized_tile_depth, most_splits = 16;
  const std::int64_t slices = problem.terms / 32;
  if (problem.is_indexed || slices < 2 * fewest_slices) return 1;
  const std::int64_t wanted = std::clamp<std::int64_t>(device.per_unit(blocks_per_unit) / blocks, 1,
                                                       std::min(slices / fewest_slices, most_splits));
  const auto split_slices = static_cast<std::int64_t>(
      kg::quantized_split_slices(static_cast<std::uint64_t>(slices), static_cast<std::uint64_t>(wanted)));
  return static_cast<std::uint32_t>(quotient_up(slices, split_slices));
}

QuantizedPlan plan_tiles(const QuantizedProblem& problem, const DeviceTraits& device) {
  constexpr std::uint32_t width = kg::quantized_tile_columns;
  const std::int64_t tiles = tiles_of(problem, width),
                     parts = quotient_up<std::int64_t>(problem.rows, kg::quantized_tile_rows);
  const std::uint32_t k_splits = k_splits_of(problem, tiles * parts, device);
  return {QuantizedForm::tiles,
          tiles,
          width,
          static_cast<std::uint32_t>(parts),
          k_splits,
          block_grid(tiles * parts * k_splits, kg::block_threads)};
}

/// Blocks of `threads` threads that share the rows of W for each of `tiles` tiles of columns: enough to fill the device.
std::uint32_t parts_of(const QuantizedProblem& problem, std::int64_t tiles, std::int64_t threads,
                       const DeviceTraits& device) {
  const std::int64_t rows = problem.rows;
  if (device.on_cpu()) {
    const std::int64_t work = std::max<std::int64_t>(rows * problem.terms / worth_a_thread, 1);
    return static_cast<std::uint32_t>(std::min<std::int64_t>({work, rows, device.threads * 4}));
  }
  const std::int64_t wanted = std::max<std::int64_t>(device.per_unit(blocks_per_unit) / tiles, 1);
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(quotient_up(rows * threads_per_row, threads), 1, wanted));
}

/// The launch of `blocks` blocks of a product. `shared_bytes` is shared memory in addition to the ring that rows are staged in.
LaunchShape product_grid(const QuantizedProblem& problem, std::int64_t blocks, std::uint32_t threads,
                         std::uint32_t shared_bytes, const DeviceTraits& device) {
  if (device.on_cpu()) return block_grid(std::min<std::int64_t>(blocks, device.threads * 16), 1);
  LaunchShape shape = block_grid(blocks, threads);
  if (device.kind != DeviceKind::cuda) return shape;  // kernels declare their shared memory (KG_SHARED_BLOCK)
  const auto block = static_cast<std::uint32_t>(size_of(problem.weights));
  const auto slices = static_cast<std::uint32_t>(block_elements(problem.weights) / 32);
  shape.shared_bytes = shared_bytes;
  if (alignment_of(problem.weights) < 4)
    shape.shared_bytes += kg::quantized_ring_bytes(threads, {block, slices});
  return shape;
}

/// Blocks share the rows of all matrices: each has as many as its part of them.
QuantizedPlan plan_by_vector(const QuantizedProblem& problem, const DeviceTraits& device) {
  constexpr std::uint32_t threads = kg::quantized_vector_threads;
  QuantizedProblem whole = problem;
  whole.rows = std::reduce(problem.more_rows.begin(), problem.more_rows.end(), problem.rows);
  const std::int64_t blocks = parts_of(whole, problem.columns, threads, device);
  const auto parts = [&](std::int64_t rows) {
    return static_cast<std::uint32_t>(rows == 0 ? 0 : std::max<std::int64_t>(blocks * rows / whole.rows, 1));
  };
  QuantizedPlan plan{QuantizedForm::vector, problem.columns, 1, parts(problem.rows), 1, {}};
  std::ranges::transform(problem.more_rows, plan.more_parts.begin(), parts);
  const std::int64_t all = std::reduce(plan.more_parts.begin(), plan.more_parts.end(), plan.parts);
  const auto column =
      static_cast<std::uint32_t>(kg::quantized_column_bytes(static_cast<std::uint64_t>(problem.terms)));
  plan.shape = product_grid(problem, problem.columns * all, threads, column, device);
  return plan;
}

}  // namespace

QuantizedPlan plan_quantized_product(const QuantizedProblem& problem, const DeviceTraits& device) {
  if (is_by_vector(problem, device)) return plan_by_vector(problem, device);
  if (is_by_tiles(problem, device)) return plan_tiles(problem, device);
  if (is_dense(problem, device)) return {QuantizedForm::dense, 0, 0, 0, 1, {}};
  const std::uint32_t width = !problem.is_indexed && problem.columns <= 4 ? 4 : kg::quantized_columns;
  const std::int64_t tiles = tiles_of(problem, width);
  const std::uint32_t parts = parts_of(problem, tiles, kg::block_threads, device);
  return {QuantizedForm::columns,
          tiles,
          width,
          parts,
          1,
          product_grid(problem, tiles * parts, kg::block_threads, 0, device)};
}

LaunchShape quantize_columns_grid(std::int64_t columns, std::int64_t terms, const DeviceTraits& device) {
  return device.on_cpu() ? element_grid(columns * terms, 1, device)
                         : block_grid(std::min(columns, device.per_unit(512)));
}

SetRowsPlan plan_set_rows(std::int64_t rows, std::int64_t n, const DeviceTraits& device) {
  // A thread stores its elements one after the other: a single one each if all are few.
  constexpr std::int64_t gpu_part = 2048, small_part = kg::block_threads;
  if (device.on_cpu()) return {n, 1, element_grid(rows * n, 1, device)};
  const bool are_few = rows * n <= device.per_unit(4 * kg::block_threads);
  const std::int64_t part = std::min(n, are_few ? small_part : gpu_part), thread_elements = are_few ? 1 : 4;
  const std::uint32_t group = power_of_two(quotient_up(part, thread_elements), kg::block_threads);
  return {part, group, element_grid(rows * quotient_up(n, part) * group, 1, device)};
}

DequantizePlan plan_dequantize(std::int64_t rows, std::int64_t n, const DeviceTraits& device) {
  constexpr std::int64_t slice = 32, slice_threads = 8, gpu_part = 256, cpu_part = 512;
  const std::int64_t slices = n / slice, part = std::min(slices, device.on_cpu() ? cpu_part : gpu_part);
  if (device.on_cpu()) return {part, 1, element_grid(rows * n, 1, device)};
  const std::uint32_t group = power_of_two(part * slice_threads, kg::block_threads);
  return {part, group, group_grid(rows * quotient_up(slices, part), group)};
}

LaunchShape quantize_grid(std::int64_t blocks, std::int64_t block, const DeviceTraits& device) {
  // GPU threads that share a block of 256 elements.
  constexpr std::int64_t block_group = 16;
  if (device.on_cpu()) return element_grid(blocks * block, 1, device);
  if (block == 256) return element_grid(blocks * block_group, 1, device);
  return block_grid(quotient_up<std::int64_t>(blocks * block, kg::quantize_staged_elements));
}

}  // namespace kernelgen
