#include "step_search.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "quantized.hpp"

namespace kernelgen::reference {
namespace {

/// The element of the largest magnitude, 0 if that is too small for a step.
float extreme(Values x) {
  float found = 0;
  for (const float v : x)
    if (std::fabs(v) > std::fabs(found)) found = v;
  return std::fabs(found) < 1e-15f ? 0 : found;
}

/// Sums by which a step is judged that was chosen for certain codes q: the best one is products / squares.
struct Fit {
  float products = 0, squares = 0;

  void add(float x, int q) {
    const float weight = x * x;
    products += weight * x * static_cast<float>(q);
    squares += weight * static_cast<float>(q) * static_cast<float>(q);
  }
};

/// The code, from -half on, of x by the reciprocal of a step.
int code_of(float inverse, float x, int half) { return std::clamp(nearest(inverse * x), -half, half - 1); }

}  // namespace

float search_around(Values x, Codes codes) {
  std::fill(codes.begin(), codes.end(), 0);
  const float largest = extreme(x);
  if (largest == 0) return 0;
  float step = 0, best = 0;
  // The first try is taken as it is.
  const auto attempt = [&](float inverse, bool first) {
    Fit fit;
    for (const float v : x) fit.add(v, code_of(inverse, v, 32));
    if (first) {
      step = fit.squares != 0 ? fit.products / fit.squares : 0;
    } else if (fit.squares > 0 && fit.products * fit.products > best * fit.squares) {
      step = fit.products / fit.squares;
    } else {
      return;
    }
    best = step * fit.products;
    for (std::size_t i = 0; i < x.size(); ++i) codes[i] = code_of(inverse, x[i], 32) + 32;
  };
  attempt(-32 / largest, true);
  for (int shift = -9; shift <= 9; ++shift)
    if (shift != 0) attempt(-(32 + 0.1f * static_cast<float>(shift)) / largest, false);
  return step;
}

float search_by_change(Values x, Codes codes) {
  std::fill(codes.begin(), codes.end(), 0);
  const float largest = extreme(x);
  if (largest == 0) return 0;
  Fit fit;
  for (std::size_t i = 0; i < x.size(); ++i) {
    codes[i] = code_of(-4 / largest, x[i], 4);
    fit.add(x[i], codes[i]);
  }
  bool changed = true;
  for (int round = 0; round < 5 && changed; ++round) {
    changed = false;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const float weight = x[i] * x[i];
      const auto old = static_cast<float>(codes[i]);
      Fit other{fit.products - weight * x[i] * old, fit.squares - weight * old * old};
      if (!(other.products > 0)) continue;
      const int code = std::clamp(nearest(x[i] * other.squares / other.products), -4, 3);
      if (code == codes[i]) continue;
      other.add(x[i], code);
      if (other.squares > 0 &&
          other.products * other.products * fit.squares > fit.products * fit.products * other.squares) {
        codes[i] = code;
        fit = other;
        changed = true;
      }
    }
  }
  for (int& code : codes) code += 4;
  return fit.squares > 0 ? fit.products / fit.squares : 0;
}

namespace {

/// Weighted sums of a group's elements, of the codes tried for them, and of products of both.
struct Moments {
  float w = 0, x = 0;
  float code = 0, code2 = 0, code_x = 0;

  /// The line of least squares. If its minimum is above 0, the line through 0 replaces it.
  Line line(float determinant) const {
    const Line free{(w * code_x - x * code) / determinant, (code2 * x - code * code_x) / determinant};
    return free.minimum > 0 ? Line{code_x / code2, 0} : free;
  }
};

}  // namespace

Line search_line(LineSearch search, Values x, Values weights, Codes codes) {
  const std::size_t n = x.size();
  float least = x[0], greatest = x[0];
  Moments whole{weights[0], weights[0] * x[0]};
  for (std::size_t i = 1; i < n; ++i) {
    if (x[i] < least) least = x[i];
    if (x[i] > greatest) greatest = x[i];
    whole.w += weights[i];
    whole.x += weights[i] * x[i];
  }
  if (least > 0) least = 0;
  std::fill(codes.begin(), codes.end(), 0);
  if (greatest == least) return {0, least};

  // Each try is from the best minimum so far.
  Line best{0, least};
  const auto code_of = [&](float inverse, float v) {
    return std::clamp(nearest(inverse * (v - best.minimum)), 0, search.levels);
  };
  const auto error_of = [&](Line line, std::span<const int> chosen) {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const float off = line.step * static_cast<float>(chosen[i]) + line.minimum - x[i];
      sum += weights[i] * (search.squares ? off * off : std::fabs(off));
    }
    return sum;
  };

  const auto levels = static_cast<float>(search.levels);
  const float inverse = levels / (greatest - least);
  best.step = 1 / inverse;
  for (std::size_t i = 0; i < n; ++i) codes[i] = code_of(inverse, x[i]);
  float least_error = error_of(best, codes);
  std::vector<int> tried(n);
  for (int turn = 0; turn <= search.last; ++turn) {
    const float stretched =
        (search.first + search.stride * static_cast<float>(turn) + levels) / (greatest - best.minimum);
    Moments moments{whole.w, whole.x};
    for (std::size_t i = 0; i < n; ++i) {
      tried[i] = code_of(stretched, x[i]);
      const auto code = static_cast<float>(tried[i]);
      moments.code += weights[i] * code;
      moments.code2 += weights[i] * code * code;
      moments.code_x += weights[i] * code * x[i];
    }
    const float determinant = moments.w * moments.code2 - moments.code * moments.code;
    if (!(determinant > 0)) continue;
    const Line line = moments.line(determinant);
    const float error = error_of(line, tried);
    if (!(error < least_error)) continue;
    std::copy(tried.begin(), tried.end(), codes.begin());
    least_error = error;
    best = line;
  }
  return best;
}

}  // namespace kernelgen::reference
