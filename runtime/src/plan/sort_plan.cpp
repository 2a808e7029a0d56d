#include "plan/sort_plan.hpp"

#include "plan/grid.hpp"
#include "plan/sort.hpp"

namespace kernelgen {
namespace {

/// Minimum row length that justifies several CPU threads.
constexpr std::int64_t shared_row = 64 * 1024;
/// Elements that several blocks per row sort at once; bounds the workspace.
constexpr std::int64_t radix_batch = std::int64_t{1} << 25;
/// GPU blocks per compute unit that are enough for short rows.
constexpr std::int64_t sorting_blocks = 8;
/// CPU costs in units of one element read: each element kept in the running best (others move), each element
/// of a radix search, and each selected element to sort.
constexpr std::int64_t cost_of_keeping = 300, cost_of_searching = 16, cost_of_sorting = 60;

}  // namespace

LaunchShape sort_grid(std::int64_t blocks, const DeviceTraits& device) {
  return block_grid(device.on_cpu() ? std::min<std::int64_t>(blocks, device.threads * 4) : blocks, device);
}

bool is_sorted_alone(const SortProblem& problem, const DeviceTraits& device) {
  return device.on_cpu() ? problem.n < shared_row || problem.count >= device.threads
                         : problem.n <= kg::block_row_limit(problem.element_bytes);
}

RowSortPlan plan_row_sort(const SortProblem& problem, std::int64_t kept, const DeviceTraits& device) {
  const auto [n, count, bytes] = problem;
  if (!device.on_cpu()) {
    // Eight entries per thread if that leaves enough blocks for the device.
    const std::uint32_t most = std::min(kg::block_row_limit(bytes), 8 * kg::block_threads) /
                               std::bit_ceil(static_cast<std::uint32_t>(n));
    const std::int64_t rows_each =
        std::clamp<std::int64_t>(count / device.per_unit(sorting_blocks), 1, std::max(most, 1u));
    return {static_cast<std::uint32_t>(rows_each), sort_grid(quotient_up(count, rows_each), device), 0};
  }
  const std::int64_t worth = quotient_up(count * n, cpu_grain / 4);
  const std::int64_t most = device.threads == 1 || n >= shared_row ? device.threads : device.threads * 4;
  const std::int64_t blocks = std::min({count, worth, most});
  RowSortPlan plan{1, sort_grid(blocks, device), 0};
  if (n > kg::ranked_row_limit(bytes)) {
    const auto room =
        static_cast<std::int64_t>(kg::entry_room(static_cast<unsigned>(n), static_cast<unsigned>(kept)));
    plan.workspace = blocks * 2 * room * kg::entry_bytes(bytes);
  }
  return plan;
}

RadixPlan plan_radix_sort(const SortProblem& problem, const DeviceTraits& device) {
  // Twice as many tiles as CPU threads balance the load.
  const std::int64_t tile =
      device.on_cpu() ? std::clamp<std::int64_t>(quotient_up<std::int64_t>(problem.n, device.threads * 2),
                                                 shared_row / 4, kg::radix_most_tile)
                      : kg::radix_tile(problem.element_bytes);
  const std::int64_t batch = std::clamp<std::int64_t>(radix_batch / problem.n, 1, problem.count);
  // Few blocks take turns less often at adding to the same counts.
  constexpr std::int64_t least_counted = 1024, most_counted = 8192, counting_blocks = 4;
  const std::int64_t counted =
      device.on_cpu()
          ? tile
          : std::clamp(batch * problem.n / device.per_unit(counting_blocks), least_counted, most_counted);
  return {batch, static_cast<std::uint32_t>(tile), quotient_up(problem.n, tile),
          static_cast<std::uint32_t>(counted)};
}

bool are_rows_sorted_for_top_k(const SortProblem& problem, std::int64_t k, const DeviceTraits& device) {
  const std::int64_t n = problem.n;
  if (!device.on_cpu()) return n <= kg::block_row_limit(problem.element_bytes);
  if (n <= kg::ranked_row_limit(problem.element_bytes)) return true;
  // A single thread keeps the running best; several threads can search.
  const std::int64_t searching =
      n >= shared_row ? std::max<std::int64_t>(1, device.threads / problem.count) : 1;
  return (n + cost_of_keeping * k) * searching <= cost_of_searching * n + cost_of_sorting * k;
}

}  // namespace kernelgen
