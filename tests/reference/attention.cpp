#include "attention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kernelgen::reference {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A query's key: its logit, and the sum of the magnitudes that it is made of.
struct Logit {
  std::int64_t key;
  double value, magnitude;
};

using Numbers = std::vector<double>;

Numbers numbers_of(const Elements& elements) {
  Numbers numbers;
  for (std::int64_t i = 0; i < elements.count(); ++i)
    numbers.push_back(static_cast<double>(real_at(elements, i)));
  return numbers;
}

/// The operands' elements.
struct Operands {
  const Attention& x;
  Numbers q, k, v, mask, slopes, sinks;

  explicit Operands(const Attention& x)
      : x(x),
        q(numbers_of(x.q)),
        k(numbers_of(x.k)),
        v(numbers_of(x.v)),
        mask(numbers_of(x.mask)),
        slopes(numbers_of(x.slopes)),
        sinks(numbers_of(x.sinks)) {}

  Logit logit_of(std::int64_t b, std::int64_t h, std::int64_t t, std::int64_t j) const;
};

double at(const Numbers& numbers, std::int64_t i) { return numbers[static_cast<std::size_t>(i)]; }

std::int64_t length_of(const std::vector<std::int64_t>& lengths, std::int64_t sequence, std::int64_t most) {
  return lengths.empty() ? most : lengths[static_cast<std::size_t>(sequence)];
}

/// Where query t stands among the keys of its sequence.
std::int64_t place_of(const Attention& x, std::int64_t sequence, std::int64_t t) {
  return t + length_of(x.key_lengths, sequence, x.keys) - length_of(x.query_lengths, sequence, x.queries);
}

Logit Operands::logit_of(std::int64_t b, std::int64_t h, std::int64_t t, std::int64_t j) const {
  const std::int64_t query = ((b * x.heads + h) * x.queries + t) * x.width;
  const std::int64_t key = ((b * x.kv_heads + h / (x.heads / x.kv_heads)) * x.keys + j) * x.width;
  Logit logit{j, 0, 0};
  for (std::int64_t d = 0; d < x.width; ++d) {
    const double product = at(q, query + d) * at(k, key + d);
    logit.value += product;
    logit.magnitude += std::abs(product);
  }
  logit.value *= x.scale;
  logit.magnitude *= std::abs(x.scale);
  if (x.soft_cap != 0) logit.value = x.soft_cap * std::tanh(logit.value / x.soft_cap);
  if (!slopes.empty()) {
    const double distance = static_cast<double>(std::abs(place_of(x, b, t) - j));
    logit.value -= at(slopes, b * x.heads + h) * distance;
    logit.magnitude += std::abs(at(slopes, b * x.heads + h) * distance);
  }
  if (!mask.empty()) {
    const double more = at(mask, ((b * x.heads + h) * x.queries + t) * x.keys + j);
    logit.value += more;
    if (more != -infinity) logit.magnitude += std::abs(more);
  }
  return logit;
}

}  // namespace

bool Attention::sees(std::int64_t sequence, std::int64_t t, std::int64_t j) const {
  if (t >= length_of(query_lengths, sequence, queries) || j >= length_of(key_lengths, sequence, keys))
    return false;
  const std::int64_t place = place_of(*this, sequence, t);
  return !(window_left && j < place - *window_left) && !(window_right && j > place + *window_right);
}

Attended attend(const Attention& x, Real probability_unit) {
  constexpr Real u = 0x1p-24L;
  const Operands operands(x);
  Attended result;
  for (std::int64_t b = 0; b < x.batch; ++b)
    for (std::int64_t h = 0; h < x.heads; ++h)
      for (std::int64_t t = 0; t < x.queries; ++t) {
        std::vector<Logit> logits;
        for (std::int64_t j = 0; j < x.keys; ++j) {
          if (!x.sees(b, t, j)) continue;
          const Logit logit = operands.logit_of(b, h, t, j);
          if (logit.value != -infinity) logits.push_back(logit);
        }
        double top = !operands.sinks.empty() ? at(operands.sinks, h) : -infinity;
        Real largest = std::abs(!operands.sinks.empty() && top != -infinity ? top : 0);
        for (const Logit& logit : logits) {
          top = logit.value > top ? logit.value : top;
          largest = std::max<Real>(largest, logit.magnitude);
        }
        const auto weight = [&](double value) { return value == -infinity ? 0 : std::exp(value - top); };
        double sum = !operands.sinks.empty() ? weight(at(operands.sinks, h)) : 0;
        for (const Logit& logit : logits) sum += weight(logit.value);
        const Real n = static_cast<Real>(std::max<std::size_t>(logits.size(), 1));
        const Real relative = (8 + 2 * std::log2(n)) * u + 3 * u * largest;

        const std::int64_t row = (b * x.kv_heads + h / (x.heads / x.kv_heads)) * x.keys;
        for (std::int64_t d = 0; d < x.width; ++d) {
          double y = 0, magnitude = 0;
          for (const Logit& logit : logits) {
            const double part = weight(logit.value) * at(operands.v, (row + logit.key) * x.width + d);
            y += part;
            magnitude += std::abs(part);
          }
          result.y.push_back(sum == 0 ? 0 : y / sum);
          result.y_slack.push_back(sum == 0 ? 0 : (relative + probability_unit) * magnitude / sum);
        }
        const Real log_sum = sum == 0 ? -infinity : top + std::log(sum);
        result.log_sums.push_back(log_sum);
        result.log_sums_slack.push_back(std::isfinite(log_sum) ? relative + 2 * u * std::abs(log_sum) : 0);
      }
  return result;
}

}  // namespace kernelgen::reference
