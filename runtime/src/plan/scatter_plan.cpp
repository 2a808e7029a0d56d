#include "plan/scatter_plan.hpp"

#include <limits>

#include "plan/grid.hpp"
#include "plan/scatter.hpp"
#include "plan/scatter_cpu.hpp"

namespace kernelgen {
namespace {

/// Adjacent lines that a CPU thread takes together.
constexpr std::int64_t least_columns = 16, most_columns = 256;
/// Up to this many indices per line, a CPU processes lines that share indices together even if they are not
/// adjacent.
constexpr std::int64_t shared_line = 64;
/// CPU threads beyond which atomic additions cost less than each thread reading all indices of a line.
constexpr int few_threads = 16;
/// GPU threads per compute unit: those that find work even if they share lines, and those that process lines
/// at a time.
constexpr std::int64_t sharing_threads = 32, line_threads = 1024;
/// Order-of-magnitude GPU costs in nanoseconds: each serialized index of a line, each element cleared and
/// read once by one compute unit, and the fixed cost of the two passes.
constexpr double line_step = 500, element_step = 0.66, two_passes = 20'000;
/// The same of narrow sums: two more launches; a source that one compute unit adds atomically, in memory and in shared memory; an element
/// that it reads and writes in packs, and in form `lines`; an access of a thread to its column, which waits for the one before it.
constexpr double two_more_launches = 4000, atomic_step = 1, shared_atomic_step = 0.7, narrow_step = 0.13,
                 shared_step = 0.22, column_step = 200;

/// Bytes that a GPU moves if only indexed elements are converted: those of each source, which are contiguous; and the sectors of
/// the result and of the sums, read and written for each index. In random order, a sector takes as long as three in a row (1.7 M
/// indices into 21 M elements: 340 µs on an H200).
std::int64_t indexed_bytes(const NarrowSumProblem& problem) {
  constexpr std::int64_t moved = 12, sectors = 3 * 4 * 32;
  return problem.sources * (moved + sectors / problem.inner);
}

/// The same if the sums are in a hash table in the cache: those of each source, a slot that is cleared, added to and read, and a sector
/// of y, read and written.
std::int64_t hashed_bytes(const NarrowSumProblem& problem) {
  constexpr std::int64_t moved = 12, slots = 3 * 2 * 8, sectors = 3 * 2 * 32;
  return problem.sources * (moved + slots + sectors);
}

/// Bytes that a GPU moves for each element if all are converted both ways.
constexpr std::int64_t converted = 12;

/// The same if x is copied first, if at all. A launch costs a compute unit as much as its traffic in that time.
std::int64_t copied_bytes(const NarrowSumProblem& problem, const DeviceTraits& device) {
  constexpr std::int64_t copied = 4, launch = 32 * 1024;
  return problem.is_in_place ? 0 : problem.elements * copied + device.per_unit(launch);
}

/// Whether there are so few sources that only the indexed elements are worth converting.
bool changes_little(const NarrowSumProblem& problem, const DeviceTraits& device) {
  if (device.on_cpu()) {
    constexpr std::int64_t few = 16 * 1024, share = 32;
    return problem.elements >= few && problem.sources <= problem.elements / share;
  }
  return copied_bytes(problem, device) + indexed_bytes(problem) < problem.elements * converted;
}

/// Whether each CPU thread holds the sums of whole lines, or of some columns of them.
bool fits_cpu_lines(const NarrowSumProblem& problem, const DeviceTraits& device) {
  constexpr std::int64_t cache_line = 64;
  // Narrower pieces of long lines would waste most of each access.
  const std::int64_t least = std::min<std::int64_t>(problem.columns, kg::scatter_cpu_columns);
  if (problem.size > std::int64_t{kg::scatter_cpu_sums} / least || changes_little(problem, device))
    return false;
  return problem.elements + problem.sources <= cpu_waking_grain ||
         problem.lines() * quotient_up(problem.columns, cache_line) >= device.threads;
}

/// Whether GPU blocks hold the sums of whole lines: they fit, and this takes less time than converting the indexed elements.
bool fits_gpu_lines(const NarrowSumProblem& problem, const DeviceTraits& device) {
  if (problem.is_ordered || problem.size * problem.columns > kg::scatter_line_sums) return false;
  const std::int64_t blocks = quotient_up(problem.lines(), narrow_sum_block_lines(problem, device));
  if (problem.sources / blocks > kg::scatter_block_sums && blocks < device.per_unit(2)) return false;
  if (!problem.is_in_place || !changes_little(problem, device)) return true;
  constexpr double read_and_written = 4;
  const double saved =
      static_cast<double>(problem.elements) - static_cast<double>(indexed_bytes(problem)) / read_and_written;
  return saved * narrow_step / device.compute_units < two_more_launches;
}

/// Whether each GPU thread holds the sums of a column: they fit, and this takes less time than the other forms.
bool fits_gpu_columns(const NarrowSumProblem& problem, const DeviceTraits& device) {
  // With longer columns, too few threads would fit a compute unit's shared memory.
  if (problem.size > kg::scatter_column_positions) return false;
  if (problem.is_ordered) return true;
  if (problem.elements <= kg::scatter_block_sums) return false;
  // AMD's GPUs add f32 atomically in shared memory by an instruction, NVIDIA's by a loop; and they hold the columns of fewer threads.
  if (device.kind == DeviceKind::hip && problem.columns < kg::scatter_adjacent) return false;
  const std::int64_t columns = problem.lines() * problem.columns,
                     held = std::min<std::int64_t>(1024, 4 * kg::scatter_block_sums / problem.size);
  const double rounds =
      std::max(1.0, static_cast<double>(columns) / static_cast<double>(device.per_unit(held)));
  const auto accesses = [](std::int64_t of) {
    return quotient_up(of, kg::scatter_in_flight) * kg::scatter_in_flight;
  };
  const double taken = rounds * column_step *
                       static_cast<double>(accesses(problem.sources / columns) + accesses(problem.size));
  const double elements_each = static_cast<double>(problem.elements) / device.compute_units,
               sources_each = static_cast<double>(problem.sources) / device.compute_units;
  if (fits_gpu_lines(problem, device))
    return taken < sources_each * shared_atomic_step + elements_each * shared_step;
  const double passes = !changes_little(problem, device) ? 3 : problem.is_in_place ? 0 : 1;
  return taken < sources_each * atomic_step + two_more_launches + elements_each * narrow_step * passes;
}

/// Whether the sums of all elements exceed a GPU's cache, but a hash table of the indexed ones does not, and takes less time. The
/// searches of fewer sources cost more than they save.
bool fits_hash_table(const NarrowSumProblem& problem, const DeviceTraits& device) {
  constexpr std::int64_t least_sources = 128 << 10, most_sources = 2 << 20, cached_sums = 8 << 20;
  return !device.on_cpu() && !problem.is_ordered && problem.sources >= least_sources &&
         problem.sources <= most_sources && problem.elements > cached_sums &&
         hashed_bytes(problem) < indexed_bytes(problem) &&
         copied_bytes(problem, device) + hashed_bytes(problem) < problem.elements * converted;
}

/// Whether indices select rows of packs of y, in any order.
bool has_rows(const NarrowSumProblem& problem, const DeviceTraits& device) {
  return !device.on_cpu() && !problem.is_ordered && problem.inner >= std::int64_t{kg::scatter_row_pack};
}

}  // namespace

bool is_line_by_line(const ScatterProblem& problem, const DeviceTraits& device) {
  const std::int64_t length = problem.length, lines = problem.lines;
  if (problem.adds && problem.is_ordered) return true;
  // A single index per line cannot collide, and GPU additions do not need lines.
  if (length == 1) return !problem.adds || device.on_cpu();
  if (device.on_cpu()) return !problem.adds || lines >= device.threads || device.threads <= few_threads;
  if (problem.adds) return false;
  if (length >= std::numeric_limits<std::uint32_t>::max()) return true;
  const auto at_a_time = static_cast<double>(device.per_unit(line_threads));
  const double rounds = std::max(1.0, static_cast<double>(lines) / at_a_time);
  return rounds * static_cast<double>(length) * line_step <
         two_passes + static_cast<double>(lines * problem.size) * element_step / device.compute_units;
}

ScatterLinesPlan plan_scatter_lines(const ScatterProblem& problem, const ScatterColumns& columns,
                                    const DeviceTraits& device) {
  std::int64_t width = 1;
  if (device.on_cpu() && (columns.are_adjacent || (columns.share_indices && problem.length <= shared_line)))
    width = std::clamp(columns.count / (device.threads * 4), least_columns, most_columns);
  const std::int64_t tasks = quotient_up(columns.count, width) * (problem.lines / columns.count);
  // On a CPU, the number of blocks follows the number of sources.
  const LaunchShape on_cpu = element_grid(problem.lines * problem.length, 1, device);
  const std::int64_t wanted = device.on_cpu()       ? std::min<std::int64_t>(device.threads, on_cpu.grid[0])
                              : problem.length == 1 ? 1
                                                    : device.per_unit(sharing_threads);
  const std::int64_t parts =
      std::clamp<std::int64_t>(quotient_up(wanted, tasks), 1, std::max<std::int64_t>(problem.size, 1));
  return {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(parts),
          device.on_cpu() ? on_cpu : element_grid(tasks * parts, 1, device)};
}

NarrowSumForm narrow_sum_form(const NarrowSumProblem& problem, const DeviceTraits& device) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const bool is_single =
      !device.on_cpu() && problem.elements > 0 && problem.sources == problem.elements / problem.size;
  if (is_single && problem.is_in_place) return NarrowSumForm::single;
  if (problem.is_contiguous && problem.elements > 0 && problem.elements <= most && problem.sources <= most) {
    if (device.on_cpu() && fits_cpu_lines(problem, device)) return NarrowSumForm::lines;
    // Form `hash_table` adds to y, so it needs another launch, a copy, unless y is x.
    const bool are_few =
        !device.on_cpu() && !problem.is_ordered && problem.sources <= kg::scatter_few_sources;
    if (are_few && problem.is_in_place && problem.elements > kg::scatter_block_sums)
      return NarrowSumForm::hash_table;
    // Elements per compute unit that take other forms as long as two more launches.
    constexpr std::int64_t many = 8192;
    if (has_rows(problem, device) && problem.elements + problem.sources > device.per_unit(many))
      return NarrowSumForm::rows;
    if (!device.on_cpu() && fits_gpu_columns(problem, device)) return NarrowSumForm::columns;
    if (!device.on_cpu() && fits_gpu_lines(problem, device)) return NarrowSumForm::lines;
    if (are_few && !is_single) return NarrowSumForm::hash_table;
    if (has_rows(problem, device)) return NarrowSumForm::rows;
    if (!is_single && fits_hash_table(problem, device)) return NarrowSumForm::hashed;
  }
  if (is_single) return NarrowSumForm::single;
  return changes_little(problem, device) ? NarrowSumForm::indexed : NarrowSumForm::all;
}

std::int64_t narrow_sum_block_lines(const NarrowSumProblem& problem, const DeviceTraits& device) {
  const std::int64_t most = kg::scatter_line_sums / (problem.size * problem.columns);
  return std::clamp<std::int64_t>(problem.lines() / device.per_unit(2), 1, most);
}

LaunchShape narrow_sum_lines_shape(const NarrowSumProblem& problem, const DeviceTraits& device) {
  const std::int64_t lines = narrow_sum_block_lines(problem, device),
                     blocks = quotient_up(problem.lines(), lines),
                     most = std::max(problem.size, problem.sources / (problem.lines() * problem.columns)) *
                            problem.columns * lines;
  // While some blocks of a compute unit wait for memory, others add. An AMD GPU's shared memory has room for one block or two.
  const unsigned threads = device.kind != DeviceKind::cuda ? kg::scatter_block_threads
                           : blocks < device.per_unit(4)   ? 512
                                                           : 256;
  return block_grid(blocks, power_of_two(most, threads));
}

LaunchShape narrow_sum_columns_shape(const NarrowSumProblem& problem) {
  const auto inner = static_cast<std::uint32_t>(problem.columns),
             size = static_cast<std::uint32_t>(problem.size);
  const std::uint32_t threads =
      block_of(std::int64_t{kg::scatter_block_sums / size} - kg::scatter_padding(inner, size) - 31);
  return block_grid(
      quotient_up<std::int64_t>(problem.lines() * problem.columns, kg::scatter_block_columns(threads, inner)),
      threads);
}

std::int64_t narrow_sum_lines(std::int64_t lines, std::int64_t elements) {
  // Caches hold no more sums than this. Multiples of 8 lines keep 16-byte accesses aligned.
  constexpr std::int64_t cached = 4 << 20, aligned = 8;
  if (elements <= cached) return lines;
  const std::int64_t step = std::max<std::int64_t>(1, cached / (elements / lines));
  return step > aligned ? step - step % aligned : step;
}

}  // namespace kernelgen
