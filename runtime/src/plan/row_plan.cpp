#include "plan/row_plan.hpp"

#include <algorithm>

#include "plan/compact_code.hpp"
#include "plan/grid.hpp"
#include "plan/row.hpp"

namespace kernelgen {
namespace {

/// Parts per compute unit of a GPU: `busy_parts` occupy it. Up to `most_parts` saturate it, if they have at least `long_part`
/// elements each: shorter ones do not hide the start of their blocks.
constexpr std::int64_t busy_parts = 4, most_parts = 16, long_part = 16384;
/// Minimum elements per part.
constexpr std::int64_t gpu_part = 4096, cpu_part = 4 * cpu_grain;

unsigned element_bytes(const RowProblem& problem) { return static_cast<unsigned>(size_of(problem.dtype)); }

/// Whether rows are not a multiple of 16 bytes, so that a GPU reads their ends by single elements.
bool has_edges(const RowProblem& problem) { return problem.n % (16 / element_bytes(problem)) != 0; }
/// Whether a GPU reads rows in 16-byte packs, apart from such ends.
bool in_packs(const RowProblem& problem) {
  const unsigned size = element_bytes(problem);
  return !has_edges(problem) || (kg::row_may_have_edges(size) && problem.n >= kg::edged_row_elements(size));
}

/// Elements of a row that a GPU thread can hold in registers. Kernels of masked rows have compact code for all types.
std::int64_t held_by_thread(const RowProblem& problem, const DeviceTraits& device) {
  const bool is_compact = problem.operands == RowOperands::masked ||
                          (device.kind != DeviceKind::cuda &&
                           kg::has_compact_code(element_bytes(problem), is_float(problem.dtype)));
  return in_packs(problem) ? kg::held_elements(problem.dtype == DType::f64 ? 8 : 4, is_compact)
                           : kg::max_unaligned_elements(is_compact);
}

/// Threads per row. Enough to hold the row in registers, if a block can; with at most seven packs each if a row consists of packs
/// (with at most four, f32 rows of 4,097 to 7,168 elements, which leave many threads of twice as large blocks idle, took up to 1.9
/// times as long); and enough for the edges of a misaligned row. More if there are too few rows to fill a GPU, as long as each thread
/// has a 16-byte access, or unaligned_row_few_elements elements of a row that is read by single elements.
std::uint32_t group_of(const RowProblem& problem, const DeviceTraits& device) {
  const std::int64_t rows = problem.rows, n = problem.n;
  const std::int64_t least_each =
      in_packs(problem) ? 16 / element_bytes(problem) : kg::unaligned_row_few_elements;
  constexpr std::int64_t most_packs = 7;
  std::int64_t most_each = held_by_thread(problem, device);
  if (!has_edges(problem)) most_each = std::min(most_each, most_packs * least_each);
  std::uint32_t group = power_of_two(quotient_up(n, most_each), kg::row_threads);
  if (has_edges(problem) && in_packs(problem))
    group = std::max(group, kg::edged_row_threads(element_bytes(problem)));
  while (group < kg::row_threads && group * least_each < n && rows * group < device.busy_threads())
    group *= 2;
  return group;
}

/// Rows that a GPU block stages in shared memory at a time, for short rows that are not a multiple of 16 bytes; 0 for other rows,
/// and if there are too few to give each compute unit a full block.
std::int64_t rows_of_tile(const RowProblem& problem, const DeviceTraits& device) {
  const std::int64_t rows = problem.rows, n = problem.n;
  if (problem.operands != RowOperands::none && problem.operands != RowOperands::shared) return 0;
  if (n > kg::row_tile_longest || in_packs(problem)) return 0;
  const bool is_worth = rows * n * element_bytes(problem) >= device.per_unit(kg::row_tile_bytes);
  return is_worth ? kg::row_tile_elements(element_bytes(problem)) / n : 0;
}

/// Elements of the longest row that is not split however few rows there are. A GPU reads a row twice if no block can hold it. Up to
/// four parts, that takes less time than the start of a second launch; up to 32, if at least two of five compute units have a row.
/// Masked rows take longer to read.
std::int64_t longest_whole_row(const RowProblem& problem, const DeviceTraits& device) {
  if (device.on_cpu()) return 2 * cpu_part;
  const std::int64_t held = held_by_thread(problem, device) * kg::row_threads;
  if (problem.operands == RowOperands::masked) return held;
  const bool are_many = 5 * problem.rows >= device.per_unit(2);
  return std::max(held, (are_many ? 32 : 4) * gpu_part);
}

/// Elements per part of a row; n if rows are not split.
std::int64_t part_of(const RowProblem& problem, const DeviceTraits& device) {
  const std::int64_t n = problem.n;
  if (device.threads == 1 || !problem.may_be_split) return n;
  const std::int64_t least = device.on_cpu() ? cpu_part : gpu_part;
  const std::int64_t enough = device.on_cpu() ? device.threads : device.per_unit(busy_parts);
  if (n <= longest_whole_row(problem, device) || problem.rows >= enough) return n;
  const std::int64_t parts =
      device.on_cpu() ? 2 * enough
                      : std::clamp(problem.rows * n / long_part, enough, device.per_unit(most_parts));
  // Whole packs, so that all parts of a row have the same alignment.
  const std::int64_t part = quotient_up(quotient_up(n, quotient_up(parts, problem.rows)), 64) * 64;
  return std::min(n, std::max(part, least));
}

}  // namespace

RowPlan plan_rows(const RowProblem& problem, const DeviceTraits& device) {
  const std::int64_t rows = problem.rows, n = problem.n;
  const std::int64_t part = part_of(problem, device), parts = quotient_up(n, part) * rows;
  if (part < n) return {part, parts, 0, block_grid(parts, device)};
  if (device.on_cpu()) return {n, rows, 1, element_grid(rows * n, 1, device)};
  if (const std::int64_t tile = rows_of_tile(problem, device); tile > 0)
    return {n, rows, 0, block_grid(quotient_up(rows, tile))};
  const std::uint32_t group = group_of(problem, device);
  return {n, rows, group, group > kg::block_threads ? block_grid(rows, group) : group_grid(rows, group)};
}

}  // namespace kernelgen
