#include "normalization.hpp"

#include <algorithm>

namespace kernelgen::reference {
namespace {

/// Of a sum of n terms of one sign, relative.
Real sum_error(std::size_t n, Real u) {
  const Real terms = static_cast<Real>(n);
  return (4 + 2 * std::log2(terms) + terms / 512) * u;
}

}  // namespace

Row softmax(std::string_view operation, std::span<const Real> x, Real u) {
  Row row;
  Real top = -std::numeric_limits<Real>::infinity(), sum = 0;
  for (const Real v : x) top = std::isnan(v) || std::isnan(top) ? std::nanl("") : std::max(top, v);
  for (const Real v : x) sum += std::exp(v - top);
  for (const Real v : x) {
    const Real distance = std::fabs(v - top);
    if (operation == "softmax") {
      const Real y = std::exp(v - top) / sum;
      row.values.push_back(y);
      // Below the normal numbers of what is computed in, units no longer shrink with y.
      const Real least =
          u < std::ldexp(Real{1}, -50) ? std::ldexp(Real{1}, -1074) : std::ldexp(Real{1}, -149);
      row.slack.push_back((8 * u + 2 * u * distance + sum_error(x.size(), u)) * y + 4 * least);
    } else {
      const Real y = v - top - std::log(sum);
      row.values.push_back(y);
      row.slack.push_back(2 * u * distance + 4 * u * std::log(sum) + sum_error(x.size(), u) +
                          2 * u * std::fabs(y));
    }
  }
  return row;
}

Row normalize(std::span<const Real> x, std::span<const Real> weight, std::span<const Real> bias, Real eps,
              Real u) {
  Row row;
  const Real n = static_cast<Real>(x.size());
  Real mean = 0, magnitudes = 0;
  if (!bias.empty())
    for (const Real v : x) {
      mean += v / n;
      magnitudes += std::fabs(v) / n;
    }
  const Real mean_error = bias.empty() ? 0 : sum_error(x.size(), u) * magnitudes + 2 * u * std::fabs(mean);
  Real square = 0;
  for (const Real v : x) square += (v - mean) * (v - mean) / n;
  const Real deviation = std::sqrt(square + eps);
  // A mean that is off by d adds d² to the square, and rounding each difference 2u of it.
  const Real relative =
      (sum_error(x.size(), u) + 8 * u) +
      (deviation == 0 ? 0 : (mean_error * mean_error + 2 * mean_error * u) / (deviation * deviation));
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real scaled = (x[i] - mean) / deviation * weight[i];
    row.values.push_back(scaled + (bias.empty() ? 0 : bias[i]));
    row.slack.push_back(relative * std::fabs(scaled) + mean_error / deviation * std::fabs(weight[i]) +
                        2 * u * std::fabs(row.values.back()));
  }
  return row;
}

Row l2_norm(std::span<const Real> x, Real eps, Real u) {
  Row row;
  Real squares = 0;
  for (const Real v : x) squares += v * v;
  const Real length = std::isnan(squares) ? squares : std::max(std::sqrt(squares), eps);
  for (const Real v : x) {
    row.values.push_back(v / length);
    row.slack.push_back((sum_error(x.size(), u) + 8 * u) * std::fabs(row.values.back()));
  }
  return row;
}

CrossEntropy cross_entropy(std::span<const Real> x, std::int64_t target, Real u) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  Real top = -infinity;
  for (const Real v : x) top = std::isnan(v) || std::isnan(top) ? std::nanl("") : std::max(top, v);
  Real logarithm = std::isnan(top) ? top : 0, distances = 0;
  if (std::isfinite(top)) {
    Real sum = 0;
    for (const Real v : x) {
      const Real power = std::exp(v - top);
      sum += power;
      if (power > 0) distances += power * (top - v);
    }
    logarithm = std::log(sum);
    distances /= sum;
  }
  const Real error = sum_error(x.size(), u) + 8 * u + 2 * u * distances + 4 * u * logarithm;
  CrossEntropy result{top + logarithm, 0, 0, 0};
  result.log_sum_exp_slack = error + 2 * u * std::fabs(result.log_sum_exp);
  if (target < 0) return result;
  // Of the difference first: infinities of one sign have none.
  const Real below = top - x[static_cast<std::size_t>(target)];
  result.loss = below + logarithm;
  result.loss_slack = error + 2 * u * std::fabs(below) + 2 * u * std::fabs(result.loss);
  return result;
}

}  // namespace kernelgen::reference
