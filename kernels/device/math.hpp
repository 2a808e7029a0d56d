#pragma once
/// Elementary functions. The f32 versions are implemented here without branches, so that every dialect gives
/// the same bits and CPU loops vectorize. docs/kernels.md states their errors; tests assert them over all
/// floats. f64 functions (but those of device/exp_cpu.hpp), pow, and sin and cos on GPUs are the platform's.
/// Polynomial coefficients are minimax fits rounded to f32 (Sollya's fpminimax on the stated interval).
#include "device/convert.hpp"

namespace kg {

KG_DEVICE f32 fma(f32 a, f32 b, f32 c) { return native::fma(a, b, c); }
KG_DEVICE f64 fma(f64 a, f64 b, f64 c) { return native::fma(a, b, c); }

namespace detail {

/// x = n · ln 2 + r with |r| ≤ ln 2 / 2. expm1(r) is a polynomial with an error of 2^-32.7 relative to
/// exp(r).
struct ExpParts {
  u32 biased_n;  /// n + 254 in the low nine bits
  f32 expm1;
};

/// Requires |x| ≤ 104 or NaN.
KG_DEVICE ExpParts split_exp(f32 x) {
  // Adding 1.5 · 2^23 rounds to an integer and leaves it in the low bits.
  constexpr f32 shift = 0x1.8p23f + 254;
  const f32 shifted = fma(x, 0x1.715476p+0f, shift);
  const f32 n = shifted - shift;
  // log(2) in two parts; the first is short enough that n times it is exact.
  f32 r = fma(n, -0x1.62e400p-1f, x);
  r = fma(n, -0x1.7f7d1cp-20f, r);
  f32 q = 0x1.a273d4p-13f;
  q = fma(q, r, 0x1.6d53dcp-10f);
  q = fma(q, r, 0x1.110feep-7f);
  q = fma(q, r, 0x1.5554e2p-5f);
  q = fma(q, r, 0x1.555556p-3f);
  q = fma(q, r, 0x1p-1f);
  return {bit_cast<u32>(shifted), fma(q, r * r, r)};
}

}  // namespace detail

KG_DEVICE f32 exp(f32 x) {
  // Outside these bounds the result is infinite or rounds to zero. NaN fails both comparisons and is kept.
  x = x > 89.0f ? 89.0f : x;
  x = x < -104.0f ? -104.0f : x;
  const auto parts = detail::split_exp(x);
  // 2^n as two factors: neither overflows, and subnormal results are rounded once. Each exponent is half of n
  // + 254, which already includes both biases.
  const u32 low_half = parts.biased_n << 22 & 0x7f800000u;
  const u32 high_half = (parts.biased_n << 23) - low_half;
  return (parts.expm1 + 1.0f) * bit_cast<f32>(low_half) * bit_cast<f32>(high_half);
}
KG_DEVICE f64 exp(f64 x) { return native::exp(x); }

/// exp(x) for x ≤ 0 or NaN; 0 if the result is subnormal.
KG_DEVICE f32 decay(f32 x) {
  constexpr f32 least = -87.0f;
  const auto parts = detail::split_exp(x < least ? least : x);
  const f32 scale = bit_cast<f32>((parts.biased_n - 127) << 23);
  const f32 y = fma(scale, parts.expm1, scale);
  return x < least ? 0.0f : y;
}
KG_DEVICE f64 decay(f64 x) { return exp(x); }

/// 1/x for x in [1, 2^126], rounded to nearest. A GPU's full-range division costs three times as much; here
/// one Newton step refines the hardware's approximation (Markstein, "Computation of elementary functions on
/// the IBM RISC System/6000 processor", 1990).
KG_DEVICE f32 reciprocal(f32 x) {
  if constexpr (!is_gpu) return 1.0f / x;
  const f32 y = native::rough_reciprocal(x);
  return fma(y, fma(-x, y, 1.0f), y);
}
KG_DEVICE f64 reciprocal(f64 x) { return 1.0 / x; }

KG_DEVICE f32 expm1(f32 x) {
  const f32 clamped = x > 89.0f ? 89.0f : x < -18.0f ? -18.0f : x;
  const auto parts = detail::split_exp(clamped);
  const f32 half = bit_cast<f32>((parts.biased_n - 128) << 23);  // 2^n / 2, because 2^128 overflows
  const f32 y = 2.0f * fma(half, parts.expm1, half - 0.5f);
  return x == 0 ? x : y;
}
KG_DEVICE f64 expm1(f64 x) { return native::expm1(x); }

namespace detail {

/// log(x · 2^-down) for a positive normal x.
KG_DEVICE f32 log_of_normal(f32 x, i32 down) {
  // x = 2^n · m with m in [sqrt(1/2), sqrt(2)).
  const u32 bits = bit_cast<u32>(x);
  const i32 n = static_cast<i32>(bits - 0x3f3504f3u) >> 23;
  const f32 f = bit_cast<f32>(bits - (static_cast<u32>(n) << 23)) - 1.0f;
  const f32 exponent = static_cast<f32>(n - down);
  f32 p = -0x1.0d0372p-4f;  // (log(1 + f) - f + f²/2) / f³ on [-0.293, 0.4143], error 2^-28.5
  p = fma(p, f, 0x1.f56f7cp-4f);
  p = fma(p, f, -0x1.11e5d4p-3f);
  p = fma(p, f, 0x1.2520acp-3f);
  p = fma(p, f, -0x1.5428fp-3f);
  p = fma(p, f, 0x1.99784ep-3f);
  p = fma(p, f, -0x1.0002f2p-2f);
  p = fma(p, f, 0x1.5555cp-2f);
  const f32 f2 = f * f;
  const f32 tail = fma(f2 * f, p, fma(exponent, -0x1.05c61p-29f, -0.5f * f2));
  return fma(exponent, 0x1.62e43p-1f, f + tail);
}

}  // namespace detail

KG_DEVICE f32 log(f32 x) {
  const bool subnormal = x < 0x1p-126f;
  f32 y = detail::log_of_normal(subnormal ? x * 0x1p23f : x, subnormal ? 23 : 0);
  y = x == bit_cast<f32>(0x7f800000u) ? x : y;
  y = x == 0 ? -bit_cast<f32>(0x7f800000u) : y;
  return x < 0 || x != x ? bit_cast<f32>(0x7fc00000u) : y;
}
KG_DEVICE f64 log(f64 x) { return native::log(x); }

KG_DEVICE f32 abs(f32 x) { return bit_cast<f32>(bit_cast<u32>(x) & 0x7fffffffu); }
KG_DEVICE f64 abs(f64 x) { return bit_cast<f64>(bit_cast<u64>(x) & 0x7fffffffffffffffu); }
KG_DEVICE f32 copysign(f32 magnitude, f32 sign) {
  return bit_cast<f32>((bit_cast<u32>(magnitude) & 0x7fffffffu) | (bit_cast<u32>(sign) & 0x80000000u));
}
KG_DEVICE f64 copysign(f64 magnitude, f64 sign) {
  return bit_cast<f64>((bit_cast<u64>(magnitude) & 0x7fffffffffffffffu) |
                       (bit_cast<u64>(sign) & 0x8000000000000000u));
}

KG_DEVICE f32 tanh(f32 x) {
  const f32 magnitude = abs(x);
  const f32 t = x * x;
  f32 p = 0x1.2e29e2p-9f;  // (tanh(x)/x - 1)/x² on [0, 0.65], error 2^-29.4
  p = fma(p, t, -0x1.127e12p-7f);
  p = fma(p, t, 0x1.6501a6p-6f);
  p = fma(p, t, -0x1.ba1376p-5f);
  p = fma(p, t, 0x1.111128p-3f);
  p = fma(p, t, -0x1.555556p-2f);
  const f32 small = fma(x * t, p, x);
  const auto parts = detail::split_exp(magnitude > 10.0f ? 20.0f : 2.0f * magnitude);
  const f32 scale = bit_cast<f32>((parts.biased_n - 127) << 23);
  const f32 large = fma(-2.0f, reciprocal(fma(scale, parts.expm1, scale) + 1.0f), 1.0f);
  return copysign(magnitude < 0.65f ? small : large, x);  // `small` alone would lose the sign of -0
}
KG_DEVICE f64 tanh(f64 x) { return native::tanh(x); }

/// 1 - exp(log(erfc(x))): no sum whose terms cancel, so it is accurate for small x too.
KG_DEVICE f32 erf(f32 x) {
  const f32 a = abs(x);
  const f32 b = a > 3.93f ? 3.93f : a;  // beyond this the result is 1
  f32 q = 0x1.66fe82p-20f;              // -log(erfc(x))/x - 1 on [0, 3.93], error 2^-30.7 of erf
  q = fma(q, b, -0x1.7d0bfp-16f);
  q = fma(q, b, 0x1.6a1dacp-13f);
  q = fma(q, b, -0x1.89c7a6p-11f);
  q = fma(q, b, 0x1.dac4dcp-10f);
  q = fma(q, b, -0x1.1145acp-12f);
  q = fma(q, b, -0x1.392e52p-6f);
  q = fma(q, b, 0x1.a4f304p-4f);
  q = fma(q, b, 0x1.45f30ap-1f);
  q = fma(q, b, 0x1.06eba8p-3f);
  const auto parts = detail::split_exp(fma(-b, q, -b));
  const f32 scale = bit_cast<f32>((parts.biased_n - 127) << 23);
  return copysign(fma(-scale, parts.expm1, 1.0f - scale), x);
}
KG_DEVICE f64 erf(f64 x) { return native::erf(x); }

KG_DEVICE f32 sin(f32 x) { return native::sin(x); }
KG_DEVICE f64 sin(f64 x) { return native::sin(x); }
KG_DEVICE f32 cos(f32 x) { return native::cos(x); }
KG_DEVICE f64 cos(f64 x) { return native::cos(x); }
KG_DEVICE f32 sqrt(f32 x) { return native::sqrt(x); }
KG_DEVICE f64 sqrt(f64 x) { return native::sqrt(x); }
// pow(x, 0) is 1 for every x; libm returns NaN for a signaling NaN.
KG_DEVICE f32 pow(f32 x, f32 e) { return e == 0 ? 1.0f : native::pow(x, e); }
KG_DEVICE f64 pow(f64 x, f64 e) { return e == 0 ? 1.0 : native::pow(x, e); }
KG_DEVICE f32 floor(f32 x) { return native::floor(x); }
KG_DEVICE f64 floor(f64 x) { return native::floor(x); }
KG_DEVICE f32 ceil(f32 x) { return native::ceil(x); }
KG_DEVICE f64 ceil(f64 x) { return native::ceil(x); }

/// Rounds half away from zero.
template <class T, class = enable_if<is_wide_float<T>>>
KG_DEVICE T round(T x) {
  const T whole = native::trunc(x);
  const T step = abs(x - whole) >= T(0.5) ? T(1) : T(0);
  return copysign(abs(whole) + step, x);
}

}  // namespace kg
