#pragma once
#include <optional>
#include <vector>

#include "element.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::reference {

/// Rows and columns: of an image, a window, its steps.
struct Pair {
  std::int64_t rows, columns;
};

/// An exact result before it is rounded, and the sum of the absolute values of the terms it is made of.
struct Sums {
  std::vector<Real> value;
  std::vector<Real> magnitude;
};

/// x is [planes, rows, columns] in row-major order; the results are [planes, …].

/// Integers: the 64-bit sum, which wraps, divided toward zero.
Sums average_pool(const Elements& x, std::int64_t planes, Pair size, Pair kernel, Pair stride);
/// NaN where there is one in the window.
Sums max_pool(const Elements& x, std::int64_t planes, Pair size, Pair kernel, Pair stride);

/// Element i of a dim is the input's min(floor(i · (in / out)), in - 1), in / out in f64.
Sums upsample_nearest(const Elements& x, std::int64_t planes, Pair size, Pair to);

/// The four nearest elements weighted by nearness; those of no weight are left out. An element's place in the
/// input is computed in f64, as the operation promises.
Sums upsample_bilinear(const Elements& x, std::int64_t planes, Pair size, Pair to, bool align_corners,
                       std::optional<double> row_scale, std::optional<double> column_scale);

}  // namespace kernelgen::reference
