#include "plan/recurrence_plan.hpp"

#include <algorithm>

namespace kernelgen {
namespace {

struct TileForm {
  std::uint32_t width, group;
};
constexpr TileForm tile_forms[] = {{16, 4}, {64, 4}, {128, 8}, {256, 16}};

RecurrencePlan plan_tiles(const RecurrenceProblem& problem, const TileForm& form,
                          const DeviceTraits& device) {
  const std::int64_t spans =
      problem.sequences * (problem.heads * problem.rows / std::max<std::int64_t>(problem.span, 1));
  const auto tiles = [&](std::uint32_t threads) {
    return spans * quotient_up<std::int64_t>(problem.span, threads / form.group);
  };
  // Two blocks for each compute unit hide each other's waits. Small blocks share what is staged by fewer rows.
  // NVIDIA's registers suffice for more of them if none is large.
  std::uint32_t threads = device.kind == DeviceKind::cuda ? kg::block_threads / 2 : kg::block_threads;
  while (threads > static_cast<std::uint32_t>(device.wave_size) &&
         (tiles(threads) < device.per_unit(2) || threads / form.group / 2 >= problem.span))
    threads /= 2;
  const std::int64_t elements = problem.vectors * form.width, numbers = threads / form.group;
  const std::int64_t stages = device.kind == DeviceKind::cuda ? 2 : 1;
  const std::int64_t tokens = std::min<std::int64_t>({kg::recurrence_staged_tokens, problem.tokens,
                                                      kg::recurrence_staged_elements / stages / elements,
                                                      kg::recurrence_staged_numbers / numbers});
  return {block_grid(tiles(threads), threads), form.group, form.width,
          static_cast<std::uint32_t>(std::max<std::int64_t>(tokens, 1))};
}

}  // namespace

RecurrencePlan plan_recurrence(const RecurrenceProblem& problem, const DeviceTraits& device) {
  const std::int64_t rows = problem.sequences * problem.heads * problem.rows;
  if (!device.on_cpu()) {
    for (const TileForm& form : tile_forms)
      if (problem.width <= form.width) return plan_tiles(problem, form, device);
    const std::uint32_t group = kg::recurrence_group(problem.width);
    return {group_grid(rows, group), group, 0, 0};
  }
  const double work =
      static_cast<double>(rows) * static_cast<double>(problem.tokens) * static_cast<double>(problem.width);
  return {cpu_task_grid(rows, static_cast<std::int64_t>(std::min(work, 1e12)), device), 1, 0, 0};
}

}  // namespace kernelgen
