#include "plan/recurrence_plan.hpp"

#include <algorithm>

namespace kernelgen {

RecurrencePlan plan_recurrence(const RecurrenceProblem& problem, const DeviceTraits& device) {
  const std::int64_t rows = problem.sequences * problem.heads * problem.rows;
  if (!device.on_cpu()) {
    const std::uint32_t group = kg::recurrence_group(problem.width);
    return {group_grid(rows, group), group};
  }
  const double work =
      static_cast<double>(rows) * static_cast<double>(problem.tokens) * static_cast<double>(problem.width);
  return {cpu_task_grid(rows, static_cast<std::int64_t>(std::min(work, 1e12)), device), 1};
}

}  // namespace kernelgen
