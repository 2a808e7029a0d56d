#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "element.hpp"

namespace kernelgen::reference {

/// A row's results, exact but for the 64-bit mantissa of Real, and the error that each may have in addition to its last
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
/// x / max(sqrt(Σ x²), eps).
Row l2_norm(std::span<const Real> x, Real eps, Real u);

/// log Σ exp(x), and the same less x[target], of what the logarithm is taken of as in softmax.
struct CrossEntropy {
  Real log_sum_exp, loss;
  Real log_sum_exp_slack, loss_slack;
};
/// A target of -1 is none: its loss is 0.
CrossEntropy cross_entropy(std::span<const Real> x, std::int64_t target, Real u);

}  // namespace kernelgen::reference
