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

/// Whether there are so few sums that only their positions are worth converting.
bool changes_little(const NarrowSumProblem& problem, const DeviceTraits& device) {
  if (device.on_cpu()) {
    constexpr std::int64_t few = 16 * 1024, share = 32;
    return problem.elements >= few && problem.sources <= problem.elements / share;
  }
  // Cost in bytes: an element converted both ways; one copied first; a source in full sectors; the sectors of
  // the result and of the sums read and written for a single source; a compute unit's traffic during a launch.
  constexpr std::int64_t converted = 12, copied = 4, moved = 12, sectors = 4 * 32, launch = 32 * 1024;
  const std::int64_t copying = problem.is_in_place ? 0 : problem.elements * copied + device.per_unit(launch);
  return copying + problem.sources * (moved + sectors / problem.inner) < problem.elements * converted;
}

bool fits_a_block(const NarrowSumProblem& problem, const DeviceTraits& device) {
  if (!problem.is_contiguous) return false;
  if (device.on_cpu()) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max(), cache_line = 64;
    if (problem.elements == 0 || problem.elements > most || problem.sources > most) return false;
    // Narrower pieces of long lines would waste most of each access.
    const std::int64_t least = std::min<std::int64_t>(problem.columns, kg::scatter_cpu_columns);
    if (problem.size > std::int64_t{kg::scatter_cpu_sums} / least || changes_little(problem, device))
      return false;
    const std::int64_t lines = problem.elements / (problem.size * problem.columns);
    return problem.elements + problem.sources <= cpu_waking_grain ||
           lines * quotient_up(problem.columns, cache_line) >= device.threads;
  }
  return !problem.is_ordered && problem.elements <= kg::scatter_block_places &&
         problem.sources <= kg::scatter_block_sources;
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
  return fits_a_block(problem, device)     ? NarrowSumForm::block
         : changes_little(problem, device) ? NarrowSumForm::indexed
                                           : NarrowSumForm::all;
}

std::int64_t narrow_sum_lines(std::int64_t lines, std::int64_t elements) {
  // Caches hold no more sums than this. Multiples of 8 lines keep 16-byte accesses aligned.
  constexpr std::int64_t cached = 4 << 20, aligned = 8;
  if (elements <= cached) return lines;
  const std::int64_t step = std::max<std::int64_t>(1, cached / (elements / lines));
  return step > aligned ? step - step % aligned : step;
}

}  // namespace kernelgen
