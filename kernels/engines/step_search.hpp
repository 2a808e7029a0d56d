#pragma once
/// How the K formats choose the step of a group of elements, as ggml's reference does, operation by operation. Codes are
/// not kept: what they follow from is, so that they can be worked out again.
#include "device/math.hpp"

namespace kg {

/// The nearest integer, of numbers up to 2^22; 0 of NaN.
KG_DEVICE i32 nearest_code(f32 x) {
  return x == x ? static_cast<i32>(bit_cast<u32>(x + 0x1.8p23f) & 0x7fffffu) - 0x400000 : 0;
}

KG_DEVICE i32 bounded(i32 x, i32 least, i32 most) { return x < least ? least : x > most ? most : x; }
/// Not abs: where a loop that looks for the largest is unrolled for AVX, clang 19 takes another of equal ones.
KG_DEVICE f32 magnitude(f32 x) { return x < 0 ? -x : x; }

/// The element of the largest magnitude, the first of several.
KG_DEVICE f32 extreme_of(const f32* x, int n) {
  f32 found = 0;
  for (int i = 0; i < n; ++i)
    if (magnitude(x[i]) > magnitude(found)) found = x[i];
  return found;
}

/// x is about step · code + minimum, where code = nearest((x - from) · inverse) within bounds.
struct GroupSteps {
  f32 step, minimum, inverse, from;
};

/// By what a step is judged that was chosen for certain codes: the best one is products / squares.
struct StepFit {
  f32 products = 0, squares = 0;

  KG_DEVICE void add(f32 x, f32 code) {
    const f32 weight = x * x;
    products += weight * x * code;
    squares += weight * code * code;
  }
};

/// q6_K: codes of -32 to 31 from nineteen steps around the one that gives the extreme element the lowest.
KG_DEVICE GroupSteps search_around(const f32* x) {
  constexpr int n = 16;
  const f32 largest = extreme_of(x, n);
  if (magnitude(largest) < 1e-15f) return {0, 0, 0, 0};
  GroupSteps best{};
  f32 most = 0;
  KG_NO_UNROLL for (int turn = 0; turn < 19; ++turn) {
    const int shift = turn == 0 ? 0 : turn < 10 ? turn - 10 : turn - 9;
    const f32 inverse = turn == 0 ? -32.0f / largest : -(32 + 0.1f * static_cast<f32>(shift)) / largest;
    StepFit fit;
    for (int i = 0; i < n; ++i)
      fit.add(x[i], static_cast<f32>(bounded(nearest_code(inverse * x[i]), -32, 31)));
    const bool is_better = fit.squares > 0 && fit.products * fit.products > most * fit.squares;
    if (turn > 0 && !is_better) continue;
    best.step = fit.squares != 0 ? fit.products / fit.squares : 0.0f;
    best.inverse = inverse;
    most = best.step * fit.products;
  }
  return best;
}

/// Sixteen codes of -4 to 3, of 4 bits each.
struct PackedCodes {
  u64 bits = 0;

  KG_DEVICE i32 get(int i) const { return static_cast<i32>(bits >> 4 * i & 15u) - 4; }
  KG_DEVICE void set(int i, i32 code) {
    bits = (bits & ~(u64{15} << 4 * i)) | static_cast<u64>(static_cast<u32>(code + 4)) << 4 * i;
  }
};

/// q3_K: those are changed one at a time while it helps, five rounds at most.
KG_DEVICE f32 search_by_change(const f32* x, PackedCodes& codes) {
  constexpr int n = 16;
  for (int i = 0; i < n; ++i) codes.set(i, -4);
  const f32 largest = extreme_of(x, n);
  if (magnitude(largest) < 1e-15f) return 0;
  const f32 inverse = -4.0f / largest;
  StepFit fit;
  for (int i = 0; i < n; ++i) {
    codes.set(i, bounded(nearest_code(inverse * x[i]), -4, 3));
    fit.add(x[i], static_cast<f32>(codes.get(i)));
  }
  bool has_changed = true;
  KG_NO_UNROLL for (int round = 0; round < 5 && has_changed; ++round) {
    has_changed = false;
    KG_NO_UNROLL for (int i = 0; i < n; ++i) {
      const f32 weight = x[i] * x[i], old = static_cast<f32>(codes.get(i));
      StepFit other;
      other.products = fit.products - weight * x[i] * old;
      if (!(other.products > 0)) continue;
      other.squares = fit.squares - weight * old * old;
      const i32 code = bounded(nearest_code(x[i] * other.squares / other.products), -4, 3);
      if (code == codes.get(i)) continue;
      other.add(x[i], static_cast<f32>(code));
      if (other.squares > 0 &&
          other.products * other.products * fit.squares > fit.products * fit.products * other.squares) {
        codes.set(i, code);
        fit = other;
        has_changed = true;
      }
    }
  }
  return fit.squares > 0 ? fit.products / fit.squares : 0.0f;
}

/// What a search for a line tries: codes up to `levels`; `last` more tries than one, from `first` on, `stride` apart.
struct LineSearch {
  int n, levels;
  f32 first, stride;
  int last;
  bool is_squared;  ///< errors count by their squares
  bool has_base;    ///< weights are magnitudes above the elements' root mean square, or magnitudes
};

/// q2_K, q4_K, q5_K: steps and minima by weighted least squares for the codes of several steps.
template <class Search>
KG_DEVICE GroupSteps search_line(const f32* x) {
  constexpr LineSearch search = Search::line;
  constexpr int n = search.n;
  f32 base = 0;
  if constexpr (search.has_base) {
    for (int i = 0; i < n; ++i) base += x[i] * x[i];
    base = native::sqrt(base / static_cast<f32>(n));
  }
  const auto weight = [&](int i) KG_INLINE { return base + magnitude(x[i]); };
  f32 least = x[0], greatest = x[0], weights = weight(0), sum = weights * x[0];
  for (int i = 1; i < n; ++i) {
    if (x[i] < least) least = x[i];
    if (x[i] > greatest) greatest = x[i];
    const f32 w = weight(i);
    weights += w;
    sum += w * x[i];
  }
  if (least > 0) least = 0;
  if (greatest == least) return {0, least, 0, least};
  const auto code_of = [&](f32 inverse, f32 from, int i) KG_INLINE {
    return static_cast<f32>(bounded(nearest_code(inverse * (x[i] - from)), 0, search.levels));
  };
  const auto error_of = [&](f32 step, f32 minimum, f32 inverse, f32 from) KG_INLINE {
    f32 error = 0;
    for (int i = 0; i < n; ++i) {
      const f32 off = step * code_of(inverse, from, i) + minimum - x[i];
      error += weight(i) * (search.is_squared ? off * off : magnitude(off));
    }
    return error;
  };
  const f32 levels = static_cast<f32>(search.levels), inverse = levels / (greatest - least);
  GroupSteps best{1 / inverse, least, inverse, least};
  f32 least_error = error_of(best.step, best.minimum, best.inverse, best.from);
  KG_NO_UNROLL for (int turn = 0; turn <= search.last; ++turn) {
    const f32 from = best.minimum;
    const f32 tried = (search.first + search.stride * static_cast<f32>(turn) + levels) / (greatest - from);
    f32 codes = 0, squares = 0, products = 0;
    for (int i = 0; i < n; ++i) {
      const f32 w = weight(i), code = code_of(tried, from, i);
      codes += w * code;
      squares += w * code * code;
      products += w * code * x[i];
    }
    const f32 determinant = weights * squares - codes * codes;
    if (!(determinant > 0)) continue;
    f32 step = (weights * products - sum * codes) / determinant;
    f32 minimum = (squares * sum - codes * products) / determinant;
    if (minimum > 0) {
      minimum = 0;
      step = products / squares;
    }
    const f32 error = error_of(step, minimum, tried, from);
    if (!(error < least_error)) continue;
    least_error = error;
    best = {step, minimum, tried, from};
  }
  return best;
}

}  // namespace kg
