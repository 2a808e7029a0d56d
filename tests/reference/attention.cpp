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

double number(const Elements& elements, std::int64_t i) { return static_cast<double>(real_at(elements, i)); }

std::int64_t length_of(const std::vector<std::int64_t>& lengths, std::int64_t sequence, std::int64_t most) {
  return lengths.empty() ? most : lengths[static_cast<std::size_t>(sequence)];
}

/// Where query t stands among the keys of its sequence.
std::int64_t place_of(const Attention& x, std::int64_t sequence, std::int64_t t) {
  return t + length_of(x.key_lengths, sequence, x.keys) - length_of(x.query_lengths, sequence, x.queries);
}

Logit logit_of(const Attention& x, std::int64_t b, std::int64_t h, std::int64_t t, std::int64_t j) {
  const std::int64_t query = ((b * x.heads + h) * x.queries + t) * x.width;
  const std::int64_t key = ((b * x.kv_heads + h / (x.heads / x.kv_heads)) * x.keys + j) * x.width;
  Logit logit{j, 0, 0};
  for (std::int64_t d = 0; d < x.width; ++d) {
    const double product = number(x.q, query + d) * number(x.k, key + d);
    logit.value += product;
    logit.magnitude += std::abs(product);
  }
  logit.value *= x.scale;
  logit.magnitude *= std::abs(x.scale);
  if (x.soft_cap != 0) logit.value = x.soft_cap * std::tanh(logit.value / x.soft_cap);
  if (x.slopes.count() > 0) {
    const double distance = static_cast<double>(std::abs(place_of(x, b, t) - j));
    logit.value -= number(x.slopes, b * x.heads + h) * distance;
    logit.magnitude += std::abs(number(x.slopes, b * x.heads + h) * distance);
  }
  if (x.mask.count() > 0) {
    const double more = number(x.mask, ((b * x.heads + h) * x.queries + t) * x.keys + j);
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
  return !(before && j < place - *before) && !(after && j > place + *after);
}

Attended attend(const Attention& x, Real probability_unit) {
  constexpr Real u = 0x1p-24L;
  Attended result;
  for (std::int64_t b = 0; b < x.batch; ++b)
    for (std::int64_t h = 0; h < x.heads; ++h)
      for (std::int64_t t = 0; t < x.queries; ++t) {
        std::vector<Logit> logits;
        for (std::int64_t j = 0; j < x.keys; ++j) {
          if (!x.sees(b, t, j)) continue;
          const Logit logit = logit_of(x, b, h, t, j);
          if (logit.value != -infinity) logits.push_back(logit);
        }
        double top = x.sinks.count() > 0 ? number(x.sinks, h) : -infinity;
        Real largest = std::abs(x.sinks.count() > 0 && top != -infinity ? top : 0);
        for (const Logit& logit : logits) {
          top = logit.value > top ? logit.value : top;
          largest = std::max<Real>(largest, logit.magnitude);
        }
        const auto weight = [&](double value) { return value == -infinity ? 0 : std::exp(value - top); };
        double sum = x.sinks.count() > 0 ? weight(number(x.sinks, h)) : 0;
        for (const Logit& logit : logits) sum += weight(logit.value);
        const Real n = static_cast<Real>(std::max<std::size_t>(logits.size(), 1));
        const Real relative = (8 + 2 * std::log2(n)) * u + 2 * u * largest;

        const std::int64_t row = (b * x.kv_heads + h / (x.heads / x.kv_heads)) * x.keys;
        for (std::int64_t d = 0; d < x.width; ++d) {
          double y = 0, magnitude = 0;
          for (const Logit& logit : logits) {
            const double part = weight(logit.value) / sum * number(x.v, (row + logit.key) * x.width + d);
            y += part;
            magnitude += std::abs(part);
          }
          result.y.push_back(y);
          result.y_slack.push_back((relative + probability_unit) * magnitude);
        }
        const Real log_sum = sum == 0 ? -infinity : top + std::log(sum);
        result.log_sums.push_back(log_sum);
        result.log_sums_slack.push_back(std::isfinite(log_sum) ? relative + 2 * u * std::abs(log_sum) : 0);
      }
  return result;
}

}  // namespace kernelgen::reference
