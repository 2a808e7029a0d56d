#include "plan/scan_plan.hpp"

#include "plan/grid.hpp"
#include "plan/reduce.hpp"
#include "plan/scan.hpp"

namespace kernelgen {
namespace {

/// GPU blocks per compute unit: lists with fewer than `few_blocks` in all are divided into parts. `busy_blocks` saturate a large GPU.
constexpr std::int64_t few_blocks = 2, busy_blocks = 16;
/// Minimum lines of columns per part.
constexpr std::int64_t column_part = 64;
/// Iterations of a block along a row that take as long as another launch.
constexpr std::int64_t steps_of_launch = 4;
/// Maximum elements per part: kernels count them in 32 bits.
constexpr std::int64_t longest_part = std::int64_t{1} << 30;

/// Columns per task: on a GPU one if lines are not aligned.
std::int64_t columns_each(const ScanProblem& problem, const DeviceTraits& device) {
  if (device.on_cpu()) return kg::cpu_scan_columns;
  const std::int64_t columns = kg::scan_columns(problem.element_bytes);
  return problem.inner % columns == 0 ? columns : 1;
}

/// Tasks per part of all lists.
std::int64_t tasks_of(const ScanProblem& problem, const DeviceTraits& device) {
  return problem.outer * quotient_up(problem.inner, columns_each(problem, device));
}

/// Elements of a row that a GPU block processes per iteration.
std::int64_t row_step(const ScanProblem& problem) {
  return std::int64_t{kg::block_threads} * kg::scan_neighbours(problem.element_bytes);
}

/// Threads per row: one for each eight accesses, so that most groups fit one wave, which needs no barrier; more if rows are few.
std::uint32_t row_group(const ScanProblem& problem, const DeviceTraits& device) {
  const std::int64_t accesses =
      quotient_up(problem.n, std::int64_t{kg::scan_neighbours(problem.element_bytes)});
  std::uint32_t group = power_of_two(accesses / 8, kg::block_threads);
  while (group < kg::block_threads && group < accesses && problem.outer * group < device.busy_threads())
    group *= 2;
  return group;
}

/// Parts per list, if `blocks` blocks process whole lists; at most 1 if lists are not divided.
std::int64_t wanted_parts(const ScanProblem& problem, std::int64_t blocks, const DeviceTraits& device) {
  const std::int64_t n = problem.n, step = row_step(problem);
  if (device.on_cpu()) {
    const std::int64_t columns = std::min(problem.inner, columns_each(problem, device));
    const std::int64_t grain = std::max<std::int64_t>(1, cpu_grain / columns);
    return blocks < device.threads
               ? std::min(quotient_up<std::int64_t>(device.threads * 2, blocks), n / grain)
               : 1;
  }
  if (blocks >= device.per_unit(few_blocks)) return 1;
  if (!problem.are_rows())
    return std::min(quotient_up(device.per_unit(busy_blocks), blocks), n / column_part);
  if (n <= steps_of_launch * step) return 1;
  // More parts than a run has wait for each other twice.
  const std::int64_t few = std::min<std::int64_t>(device.per_unit(few_blocks), kg::scan_run);
  return std::max(quotient_up<std::int64_t>(n, kg::scan_part(problem.element_bytes)),
                  std::min(few / blocks, n / step));
}

/// The launch of `tasks` tasks, each processed by `threads` GPU threads.
LaunchShape task_grid(const ScanProblem& problem, std::int64_t tasks, std::uint32_t threads,
                      const DeviceTraits& device) {
  return device.on_cpu() ? cpu_task_grid(tasks, problem.outer * problem.n * problem.inner, device)
                         : group_grid(tasks, threads);
}

}  // namespace

ScanPlan plan_scan(const ScanProblem& problem, const DeviceTraits& device) {
  const bool are_rows = problem.are_rows();
  const std::int64_t tasks = tasks_of(problem, device);
  ScanPlan plan{problem.n, 1, are_rows ? row_group(problem, device) : 1, {}};
  const std::int64_t blocks = device.on_cpu() ? tasks : group_grid(tasks, plan.group).grid[0];
  if (std::int64_t wanted = wanted_parts(problem, blocks, device); wanted > 1) {
    wanted = std::max(wanted, quotient_up(problem.n, longest_part));
    // Rounded to whole accesses, so that all parts of a row have the same alignment.
    plan.part = quotient_up(quotient_up(problem.n, wanted), 64) * 64;
    plan.parts = quotient_up(problem.n, plan.part);
    if (are_rows && plan.parts > 1) plan.group = kg::block_threads;
  }
  plan.shape = task_grid(problem, tasks * plan.parts, plan.group, device);
  return plan;
}

ColumnPartialsPlan plan_column_partials(const ScanProblem& problem, const ScanPlan& scan,
                                        const DeviceTraits& device) {
  const std::int64_t parts = problem.outer * scan.parts;
  const std::int64_t pack = kg::column_pack(problem.element_bytes, kg::scan_bytes(problem.element_bytes));
  const std::uint32_t across = power_of_two(quotient_up(problem.inner, pack), 32);
  const std::int64_t tile = device.on_cpu() ? std::int64_t{kg::cpu_lanes} : across * pack;
  const std::uint32_t group = power_of_two(scan.parts / 4, kg::block_threads);
  return {across, task_grid(problem, parts * quotient_up(problem.inner, tile), kg::block_threads, device),
          group, task_grid(problem, problem.outer * problem.inner, group, device)};
}

}  // namespace kernelgen
