#include "plan/expert_plan.hpp"

#include <algorithm>

#include "plan/expert_matmul.hpp"
#include "plan/grid.hpp"
#include "plan/matmul.hpp"

namespace kernelgen {
namespace {

/// Columns up to which reading an expert for each of them takes less than grouping them: a few, or half as many as experts,
/// which share few. On a GPU also as many that tiles would be nearly empty, if that reads so few bytes, mostly from the L2, that
/// the launches of the groups take more.
constexpr std::int64_t fewest_grouped = 8, nearly_empty = 4, fewest_bytes = std::int64_t{32} << 20;

bool is_by_vector(const ExpertProblem& problem, const DeviceTraits& device) {
  if (problem.columns <= std::max(fewest_grouped, problem.experts / 2)) return true;
  const std::int64_t bytes = problem.columns * problem.rows * problem.terms * problem.element_bytes;
  return !device.on_cpu() && problem.columns <= nearly_empty * problem.experts && bytes <= fewest_bytes;
}

LaunchShape vector_grid(const ExpertProblem& problem, const DeviceTraits& device) {
  const std::int64_t results = problem.rows * problem.columns;
  if (device.on_cpu()) return element_grid(results * problem.terms, 1, device);
  if (kg::are_expert_rows_together(problem.rows, problem.columns, problem.terms, problem.element_bytes))
    return group_grid(quotient_up<std::int64_t>(results, kg::matvec_together),
                      kg::matvec_together_group(results, problem.terms, problem.element_bytes));
  return group_grid(results, kg::matvec_group(problem.terms, problem.element_bytes));
}

}  // namespace

ExpertPlan plan_expert_product(const ExpertProblem& problem, const DeviceTraits& device) {
  if (is_by_vector(problem, device)) return {true, 0, vector_grid(problem, device)};
  const std::int64_t tiles = std::min(
      problem.columns, quotient_up<std::int64_t>(problem.columns, kg::expert_tile_columns) + problem.experts);
  const std::int64_t blocks = tiles * quotient_up<std::int64_t>(problem.rows, kg::matmul_tile);
  return {false, tiles,
          block_grid(device.on_cpu() ? std::min<std::int64_t>(blocks, device.threads * 16) : blocks)};
}

}  // namespace kernelgen
