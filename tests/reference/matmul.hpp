#pragma once
#include <vector>

#include "element.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::reference {

/// Results in row-major order, and for each the sum of its terms' magnitudes.
struct MatrixProduct {
  Shape shape;
  std::vector<Real> values;
  std::vector<Real> magnitudes;
};

/// The product of two views, batch dims repeated by NumPy's rule.
MatrixProduct matmul(const Elements& a, const Layout& a_layout, const Elements& b, const Layout& b_layout);

}  // namespace kernelgen::reference
