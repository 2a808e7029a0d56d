#pragma once
/// exp, expm1, log and tanh of f64 on CPUs with FMA, without branches or tables so that loops vectorize: libm
/// takes one number at a time. docs/kernels.md states their errors. Polynomials are minimax fits rounded to f64
/// (Sollya's fpminimax on the stated interval).
#include "device/types.hpp"

namespace kg::native {
namespace detail {

inline constexpr f64 infinity = __builtin_inf();

KG_DEVICE u64 bits_of(f64 x) { return __builtin_bit_cast(u64, x); }
KG_DEVICE f64 of_bits(u64 bits) { return __builtin_bit_cast(f64, bits); }

/// x = n · ln 2 + r with |r| ≤ ln 2 / 2. expm1(r) is a polynomial with an error of 2^-61 relative to exp(r).
struct ExpParts {
  u64 biased_n;  /// n + 2046 in the low twelve bits
  f64 expm1;
};

/// Requires |x| ≤ 746 or NaN.
KG_DEVICE ExpParts split_exp(f64 x) {
  // Adding 1.5 · 2^52 rounds to an integer and leaves it in the low bits.
  constexpr f64 shift = 0x1.8p52 + 2046;
  const f64 shifted = __builtin_fma(x, 0x1.71547652b82fep+0, shift);
  const f64 n = shifted - shift;
  // log(2) in two parts; the first is short enough that n times it is exact.
  f64 r = __builtin_fma(n, -0x1.62e42fefa38p-1, x);
  r = __builtin_fma(n, -0x1.ef35793c7673p-45, r);
  f64 q = 0x1.1f7cac8ad7e1fp-29;
  q = __builtin_fma(q, r, 0x1.af3f216364968p-26);
  q = __builtin_fma(q, r, 0x1.27e4d645b3bcfp-22);
  q = __builtin_fma(q, r, 0x1.71de0a31be152p-19);
  q = __builtin_fma(q, r, 0x1.a01a01a8a20d5p-16);
  q = __builtin_fma(q, r, 0x1.a01a01a904ee6p-13);
  q = __builtin_fma(q, r, 0x1.6c16c16c15f3cp-10);
  q = __builtin_fma(q, r, 0x1.1111111110708p-7);
  q = __builtin_fma(q, r, 0x1.5555555555556p-5);
  q = __builtin_fma(q, r, 0x1.5555555555556p-3);
  q = __builtin_fma(q, r, 0.5);
  return {bits_of(shifted), __builtin_fma(q, r * r, r)};
}

}  // namespace detail

KG_DEVICE f64 exp(f64 x) {
  // Outside these bounds the result is infinite or rounds to zero. NaN fails both comparisons and is kept.
  x = x > 710.0 ? 710.0 : x;
  x = x < -746.0 ? -746.0 : x;
  const auto parts = detail::split_exp(x);
  // 2^n as two factors: neither overflows, and subnormal results are rounded once. Each exponent is half of n
  // + 2046, which already includes both biases.
  const u64 low_half = parts.biased_n << 51 & 0x7ff0000000000000u;
  const u64 high_half = (parts.biased_n << 52) - low_half;
  return (parts.expm1 + 1.0) * detail::of_bits(low_half) * detail::of_bits(high_half);
}

KG_DEVICE f64 expm1(f64 x) {
  const f64 clamped = x > 710.0 ? 710.0 : x < -40.0 ? -40.0 : x;
  const auto parts = detail::split_exp(clamped);
  const f64 half = detail::of_bits((parts.biased_n - 1024) << 52);  // 2^n / 2, because 2^1024 overflows
  const f64 y = 2.0 * __builtin_fma(half, parts.expm1, half - 0.5);
  return __builtin_fabs(x) < 0x1p-54 ? x : y;  // half of a subnormal number would be rounded
}

/// With x = 2^n · (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), and s = f / (2 + f):
/// log(1 + f) = f - (f²/2 - s (f²/2 + R(s²))), R(z) = log((1 + s) / (1 - s)) / s - 2 (the fdlibm library, 1993).
KG_DEVICE f64 log(f64 x) {
  const bool subnormal = x < 0x1p-1022;
  const u64 bits = detail::bits_of(subnormal ? x * 0x1p52 : x);
  constexpr u64 least = 0x3fe6a09e667f3bcdu;  // sqrt(1/2)
  const u64 biased_n = (bits - least + 0x3ff0000000000000u) >> 52;
  const f64 f = detail::of_bits(bits - (biased_n << 52) + 0x3ff0000000000000u) - 1.0;
  // An integer in the low bits of 2^52 is an f64 without a conversion, which AVX2 lacks.
  const f64 n = detail::of_bits(biased_n | 0x4330000000000000u) - (subnormal ? 0x1p52 + 1075 : 0x1p52 + 1023);
  const f64 s = f / (f + 2.0), z = s * s;
  f64 p = 0x1.2b6a94c8da143p-3;  // R(z) / z on [0, 0.0295], error 2^-57.6 of the logarithm
  p = __builtin_fma(p, z, 0x1.39fce62a7e3fap-3);
  p = __builtin_fma(p, z, 0x1.7462bfebe853cp-3);
  p = __builtin_fma(p, z, 0x1.c71c62bf42ed3p-3);
  p = __builtin_fma(p, z, 0x1.2492492e0c875p-2);
  p = __builtin_fma(p, z, 0x1.9999999995239p-2);
  p = __builtin_fma(p, z, 0x1.5555555555558p-1);
  const f64 half_square = 0.5 * f * f;
  const f64 tail = __builtin_fma(s, __builtin_fma(z, p, half_square), n * 0x1.ef35793c7673p-45);
  f64 y = __builtin_fma(n, 0x1.62e42fefa38p-1, f - (half_square - tail));
  y = x == detail::infinity ? x : y;
  y = x == 0 ? -detail::infinity : y;
  return x < 0 || x != x ? __builtin_nan("") : y;
}

KG_DEVICE f64 tanh(f64 x) {
  const f64 magnitude = __builtin_fabs(x);
  const f64 e = expm1(magnitude > 20.0 ? 40.0 : 2.0 * magnitude);
  return __builtin_copysign(e / (e + 2.0), x);
}

}  // namespace kg::native
