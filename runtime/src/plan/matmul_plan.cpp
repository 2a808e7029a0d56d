#include "plan/matmul_plan.hpp"

#include "plan/grid.hpp"
#include "plan/matmul.hpp"

namespace kernelgen {
namespace {

/// Element-wise work that costs a CPU as much as `products` multiplications, `width` of which take a vector.
std::int64_t cpu_work(const MatmulProblem& problem, int width) {
  const double products = static_cast<double>(problem.rows) * static_cast<double>(problem.columns) *
                          static_cast<double>(problem.terms) * static_cast<double>(problem.slices);
  return static_cast<std::int64_t>(std::min(products / width, 1e12));
}

std::int64_t tiles_of(const MatmulProblem& problem) {
  return quotient_up(problem.rows, kg::matmul_tile) * quotient_up(problem.columns, kg::matmul_tile) *
         problem.slices;
}

/// Costs in the terms that a tile of 4-byte elements sums meanwhile: the start of a block, and launches that add products.
constexpr std::int64_t start_cost = 64, add_cost = 1024;
/// Terms of a range are whole steps of every tile. Products of more ranges would be large.
constexpr std::int64_t range_step = 64, most_parts = 16;

}  // namespace

std::int64_t matmul_parts(const MatmulProblem& problem, const DeviceTraits& device) {
  const std::int64_t tiles = tiles_of(problem);
  if (device.on_cpu() || tiles > device.compute_units) return 1;
  const auto cost = [&](std::int64_t parts) {
    return quotient_up(tiles * parts, std::int64_t{device.compute_units}) *
               (problem.terms / parts + start_cost) +
           (parts > 1 ? add_cost * 4 / problem.element_bytes : 0);
  };
  std::int64_t best = 1;
  for (std::int64_t parts = 2; parts <= most_parts; ++parts)
    if (problem.terms % (parts * range_step) == 0 && cost(parts) < cost(best)) best = parts;
  return best;
}

LaunchShape matmul_grid(const MatmulProblem& problem, const DeviceTraits& device) {
  const std::int64_t tiles = tiles_of(problem);
  if (!device.on_cpu()) return block_grid(tiles);
  // One vector of products costs as much as one element of element-wise work.
  if (element_grid(cpu_work(problem, 8), 1, device).grid[0] == 1) return block_grid(1);
  // CPU blocks loop over tiles; a few blocks per thread balance the load.
  return block_grid(std::min<std::int64_t>(tiles, device.threads * 64));
}

LaunchShape matvec_grid(const MatmulProblem& problem, const DeviceTraits& device) {
  if (device.on_cpu()) return element_grid(cpu_work(problem, 1), 1, device);
  if (kg::matvec_by_strips(static_cast<unsigned long long>(problem.rows), problem.row_stride,
                           problem.term_stride))
    return block_grid(quotient_up(problem.rows, kg::matvec_strip) * problem.slices);
  if (kg::are_rows_together(problem.rows, problem.slices, problem.terms, problem.element_bytes))
    return group_grid(quotient_up<std::int64_t>(problem.rows, kg::matvec_together),
                      kg::matvec_together_group(problem.rows, problem.terms, problem.element_bytes));
  return group_grid(problem.rows * problem.slices, kg::matvec_group(problem.terms, problem.element_bytes));
}

LaunchShape vector_products_grid(std::int64_t rows, std::int64_t terms, unsigned element_bytes,
                                 const DeviceTraits& device) {
  if (device.on_cpu())
    return element_grid(cpu_work({rows, 1, terms, 1, terms, 1, element_bytes}, 1), 1, device);
  return group_grid(quotient_up<std::int64_t>(rows, kg::matvec_together),
                    kg::matvec_together_group(rows, terms, element_bytes));
}

}  // namespace kernelgen
