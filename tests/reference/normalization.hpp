#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "element.hpp"

namespace kernelgen::reference {

/// A row's results, exact but for the 64-bit mantissa of Real, and what each may be wrong by beside its last
/// rounding, for a unit u of what is computed in.
struct Row {
  std::vector<Real> values;
  std::vector<Real> slack;
};

/// softmax: 4 units and 2u·|x - max|·y for the exponentials, and the sum's error. log_softmax: the same of what
/// the logarithm is taken of.
Row softmax(std::string_view operation, std::span<const Real> x, Real u);
/// rms_norm, or layer_norm where there is a bias: x centred has an error of the mean's, everything else few
/// roundings.
Row normalize(std::span<const Real> x, std::span<const Real> weight, std::span<const Real> bias, Real eps,
              Real u);

}  // namespace kernelgen::reference
