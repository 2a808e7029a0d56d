#pragma once
/// Random numbers that are the same on every device: element i depends only on the seed, the call's number
/// and i. Every function between the random bits and the element is implemented here or is correctly rounded
/// everywhere.
#include "device/compact_code.hpp"
#include "device/contiguous.hpp"
#include "device/math.hpp"
#include "engines/grid_stride.hpp"
#include "random/philox.hpp"

namespace kg {
namespace detail {

/// sin and cos of x with |x| ≤ π/4, by Taylor series; omitted terms are below half an ulp.
KG_DEVICE f32 small_sin(f32 x) {
  const f32 t = x * x;
  f32 p = static_cast<f32>(1.0 / 362880);
  p = fma(p, t, static_cast<f32>(-1.0 / 5040));
  p = fma(p, t, static_cast<f32>(1.0 / 120));
  p = fma(p, t, static_cast<f32>(-1.0 / 6));
  return fma(x * t, p, x);
}
KG_DEVICE f32 small_cos(f32 x) {
  const f32 t = x * x;
  f32 p = static_cast<f32>(-1.0 / 3628800);
  p = fma(p, t, static_cast<f32>(1.0 / 40320));
  p = fma(p, t, static_cast<f32>(-1.0 / 720));
  p = fma(p, t, static_cast<f32>(1.0 / 24));
  p = fma(p, t, -0.5f);
  return fma(p, t, 1.0f);
}
KG_DEVICE f64 small_sin(f64 x) {
  const f64 t = x * x;
  f64 p = 1.0 / 355687428096000;
  p = fma(p, t, -1.0 / 1307674368000);
  p = fma(p, t, 1.0 / 6227020800);
  p = fma(p, t, -1.0 / 39916800);
  p = fma(p, t, 1.0 / 362880);
  p = fma(p, t, -1.0 / 5040);
  p = fma(p, t, 1.0 / 120);
  p = fma(p, t, -1.0 / 6);
  return fma(x * t, p, x);
}
KG_DEVICE f64 small_cos(f64 x) {
  const f64 t = x * x;
  f64 p = -1.0 / 6402373705728000;
  p = fma(p, t, 1.0 / 20922789888000);
  p = fma(p, t, -1.0 / 87178291200);
  p = fma(p, t, 1.0 / 479001600);
  p = fma(p, t, -1.0 / 3628800);
  p = fma(p, t, 1.0 / 40320);
  p = fma(p, t, -1.0 / 720);
  p = fma(p, t, 1.0 / 24);
  p = fma(p, t, -0.5);
  return fma(p, t, 1.0);
}

/// log(x) of a normal number; the platforms' own functions differ in the last digit. x = 2^n · m with m in
/// [sqrt(1/2), sqrt(2)); log m = 2 artanh(s) with s = (m - 1) / (m + 1), whose series ends at s^23.
KG_DEVICE f64 portable_log(f64 x) {
  const u64 bits = bit_cast<u64>(x);
  const i64 n = static_cast<i64>(bits - 0x3fe6a09e667f3bcdu) >> 52;
  const f64 m = bit_cast<f64>(bits - (static_cast<u64>(n) << 52));
  const f64 s = (m - 1.0) / (m + 1.0), t = s * s;
  f64 p = 2.0 / 23;
  p = fma(p, t, 2.0 / 21);
  p = fma(p, t, 2.0 / 19);
  p = fma(p, t, 2.0 / 17);
  p = fma(p, t, 2.0 / 15);
  p = fma(p, t, 2.0 / 13);
  p = fma(p, t, 2.0 / 11);
  p = fma(p, t, 2.0 / 9);
  p = fma(p, t, 2.0 / 7);
  p = fma(p, t, 2.0 / 5);
  p = fma(p, t, 2.0 / 3);
  const f64 exponent = static_cast<f64>(static_cast<i32>(n));
  return fma(exponent, 0x1.62e42fefa39efp-1, fma(s * t, p, 2.0 * s));
}
KG_DEVICE f32 portable_log(f32 x) { return log_of_normal(x, 0); }

KG_DEVICE u32 low_word(f32 x) { return bit_cast<u32>(x); }
KG_DEVICE u32 low_word(f64 x) { return static_cast<u32>(bit_cast<u64>(x)); }

template <class F>
struct Pair {
  F first, second;
};

/// Two independent standard normal numbers (Box and Muller, 1958) from u in (0, 1] and an angle in [0, 1)
/// turns.
template <class F>
KG_DEVICE Pair<F> normal_pair(F u, F turn) {
  const F radius = sqrt(F(-2) * portable_log(u));
  // 4 turn = quadrant + rest, exactly; |rest| ≤ 1/2. The addition rounds and leaves the quadrant in the low
  // bits.
  constexpr F shift = sizeof(F) == 8 ? F(0x1.8p52) : F(0x1.8p23);
  const F shifted = turn * F(4) + shift;
  const u32 quadrant = low_word(shifted);
  const F angle = (turn * F(4) - (shifted - shift)) * static_cast<F>(0x1.921fb54442d18p+0);
  const F s = small_sin(angle), c = small_cos(angle);
  const F sine = quadrant & 1 ? c : s, cosine = quadrant & 1 ? s : c;
  return {radius * ((quadrant + 1) & 2 ? -cosine : cosine), radius * (quadrant & 2 ? -sine : sine)};
}

/// The 53 high bits as a number in [0, 1). Both halves convert exactly, so the order of operations does not
/// matter.
KG_DEVICE f64 unit(u64 bits) {
  return fma(static_cast<f64>(static_cast<u32>(bits >> 32)), 0x1p-32,
             static_cast<f64>(static_cast<u32>(bits) >> 11) * 0x1p-53);
}
KG_DEVICE f32 unit(u32 bits) { return static_cast<f32>(static_cast<i32>(bits >> 8)) * 0x1p-24f; }

/// The next value below x. x must not be NaN or the lowest value.
template <class T>
KG_DEVICE T below(T x) {
  if constexpr (sizeof(T) == 8) {
    const u64 bits = bit_cast<u64>(x), sign = u64(1) << 63;
    return bit_cast<T>(bits & sign ? bits + 1 : bits == 0 ? sign | 1 : bits - 1);
  } else if constexpr (sizeof(T) == 4) {
    const u32 bits = bit_cast<u32>(x), sign = u32(1) << 31;
    return bit_cast<T>(bits & sign ? bits + 1 : bits == 0 ? sign | 1 : bits - 1);
  } else {
    const u32 bits = x.bits, sign = u32(1) << (8 * sizeof(T) - 1);
    return {static_cast<decltype(x.bits)>(bits & sign ? bits + 1 : bits == 0 ? sign | 1 : bits - 1)};
  }
}

/// Elements per counter.
template <class T>
inline constexpr int random_lanes = same<T, f64> ? 2 : 4;

/// Fills y: generate(bits, values) makes one counter's elements. A thread stores 16 bytes at a time, or one
/// counter's elements in compact code.
template <class T, class Generate>
KG_DEVICE void fill_random(T* y, u64 n, u64 seed, u64 call, Generate generate) {
  constexpr int lanes = random_lanes<T>, width = is_compact<T> ? lanes : 16 / sizeof(T);
  const PhiloxKeys keys(seed);
  const u64 whole = n / width * width;
  for_each_index(n / width, [&](u64 pack) KG_INLINE {
    T values[width];
    KG_UNROLL for (int e = 0; e < width; e += lanes)
        generate(philox(keys, call, (pack * width + e) / lanes), values + e);
    store_contiguous(y + pack * width, values);
  });
  if (block_index() == 0 && thread_index() == 0)
    for (u64 first = whole; first < n; first += lanes) {
      T values[lanes];
      generate(philox(keys, call, first / lanes), values);
      KG_UNROLL for (int e = 0; e < lanes; ++e) if (first + e < n) y[first + e] = values[e];
    }
}

}  // namespace detail

/// Uniform in [low, high). Rounded down, so that the result is in that range for every dtype.
template <class T>
KG_DEVICE void rand_uniform(T* y, u64 n, u64 seed, u64 call, T low, T high) {
  using F = widened<T>;
  const F first = widen(low), last = widen(high), before_last = detail::below(last);
  detail::fill_random(y, n, seed, call, [=](const PhiloxBits& bits, T* values) KG_INLINE {
    KG_UNROLL for (int e = 0; e < detail::random_lanes<T>; ++e) {
      F u;
      if constexpr (same<T, f64>)
        u = detail::unit(bits.wide(e));
      else
        u = detail::unit(bits.word[e]);
      // As a weighted mean, because last - first may overflow. Rounding may leave the range on either side.
      F x = fma(u, last, fma(-u, first, first));
      x = x < first ? first : x;
      x = x > before_last ? before_last : x;
      const T nearest = convert<T>(x);
      values[e] = widen(nearest) > x ? detail::below(nearest) : nearest;
    }
  });
}

template <class T>
KG_DEVICE void rand_normal(T* y, u64 n, u64 seed, u64 call, T mean, T deviation) {
  using F = widened<T>;
  const F center = widen(mean), scale = widen(deviation);
  detail::fill_random(y, n, seed, call, [=](const PhiloxBits& bits, T* values) KG_INLINE {
    KG_UNROLL for (int e = 0; e < detail::random_lanes<T>; e += 2) {
      detail::Pair<F> z;
      if constexpr (same<T, f64>)
        z = detail::normal_pair(detail::unit(bits.wide(0)) + 0x1p-53, detail::unit(bits.wide(1)));
      else
        z = detail::normal_pair(detail::unit(bits.word[e]) + 0x1p-24f, detail::unit(bits.word[e + 1]));
      values[e] = convert<T>(fma(z.first, scale, center));
      values[e + 1] = convert<T>(fma(z.second, scale, center));
    }
  });
}

}  // namespace kg
