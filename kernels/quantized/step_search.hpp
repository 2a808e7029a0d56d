#pragma once
/// How the K formats choose a group's step, operation by operation as in ggml's reference. Codes are not
/// stored; they are recomputed from the parameters found.
#include "device/math.hpp"

namespace kg {

/// The nearest integer for magnitudes up to 2^22; 0 for NaN.
KG_DEVICE i32 nearest_code(f32 x) {
  return x == x ? static_cast<i32>(bit_cast<u32>(x + 0x1.8p23f) & 0x7fffffu) - 0x400000 : 0;
}

KG_DEVICE i32 bounded(i32 x, i32 least, i32 most) { return x < least ? least : x > most ? most : x; }
/// Not abs: clang 19, when it unrolls a search for the maximum for AVX, would pick another of several equal
/// elements.
KG_DEVICE f32 magnitude(f32 x) { return x < 0 ? -x : x; }

/// The element of the largest magnitude; the first of several.
KG_DEVICE f32 extreme_of(const f32* x, int n) {
  f32 found = 0;
  for (int i = 0; i < n; ++i)
    if (magnitude(x[i]) > magnitude(found)) found = x[i];
  return found;
}

/// x ≈ step · code + minimum, where code = nearest((x - from) · inverse), clamped.
struct GroupSteps {
  f32 step, minimum, inverse, from;
};

/// Least-squares fit of a step to given codes: the best step is products / squares.
struct StepFit {
  f32 products = 0, squares = 0;

  KG_DEVICE void add(f32 x, f32 code) {
    const f32 weight = x * x;
    products += weight * x * code;
    squares += weight * code * code;
  }
};

/// q6_K: codes from -32 to 31; tries nineteen steps around the one that gives the extreme element the lowest
/// code.
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

/// Sixteen codes from -4 to 3, 4 bits each.
struct PackedCodes {
  u64 bits = 0;

  KG_DEVICE i32 get(int i) const { return static_cast<i32>(bits >> 4 * i & 15u) - 4; }
  KG_DEVICE void set(int i, i32 code) {
    bits = (bits & ~(u64{15} << 4 * i)) | static_cast<u64>(static_cast<u32>(code + 4)) << 4 * i;
  }
};

/// q3_K: changes one code at a time while the fit improves, at most five rounds.
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

/// Parameters of search_line: codes up to `levels`; `last` + 1 tries, starting at `first`, `stride` apart.
struct LineSearch {
  int n, levels;
  f32 first, stride;
  int last;
  bool is_squared;  ///< errors are squared
  bool has_base;    ///< weights are magnitudes plus the elements' root mean square, or just magnitudes
};

/// q2_K, q4_K, q5_K: chooses step and minimum by weighted least squares over the codes of several candidate
/// steps.
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
