#include "plan/solve_plan.hpp"

#include "plan/solve_triangular.hpp"

namespace kernelgen {

LaunchShape solve_triangular_grid(std::int64_t matrices, std::int64_t n, std::int64_t columns,
                                  const DeviceTraits& device) {
  const std::int64_t strips = matrices * quotient_up<std::int64_t>(columns, kg::solve_strip);
  if (!device.on_cpu()) return block_grid(strips);
  const double products =
      static_cast<double>(matrices * columns) * static_cast<double>(n) * static_cast<double>(n) / 2;
  return cpu_task_grid(strips, static_cast<std::int64_t>(std::min(products, 1e12)), device);
}

}  // namespace kernelgen
