#pragma once
#include "plan/grid.hpp"

namespace kernelgen {

/// The launch that solves `matrices` triangular systems of n equations with `columns` right-hand sides each.
LaunchShape solve_triangular_grid(std::int64_t matrices, std::int64_t n, std::int64_t columns,
                                  const DeviceTraits& device);

}  // namespace kernelgen
