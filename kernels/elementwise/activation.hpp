#pragma once
/// Activation functions and related functions on f32, f64 and, on GPUs, Rough.
#include "device/arithmetic.hpp"
#include "device/rough.hpp"

namespace kg {

template <class T>
KG_DEVICE T recip(T x) {
  return T(1) / x;
}
/// scale / (1 + exp(-x)), using exp(-|x|), which cannot overflow: no cancellation and no loss of accuracy in
/// the tails.
template <class T>
KG_DEVICE T logistic(T x, T scale) {
  const T e = decay(T(-abs(x)));
  return T((x < 0 ? T(scale * e) : scale) * reciprocal(T(T(1) + e)));
}
template <class T>
KG_DEVICE T sigmoid(T x) {
  return logistic(x, T(1));
}
template <class T>
KG_DEVICE T silu(T x) {
  return logistic(x, x);
}
/// 0.5 x (1 + tanh(u)) with u = sqrt(2/pi) (x + 0.044715 x³), computed as x · sigmoid(2u).
template <class T>
KG_DEVICE T gelu(T x) {
  return logistic(T(T(1.5957691216057307118) * fma(T(0.044715) * x * x, x, x)), x);
}
/// The logarithm to base 2 of erfc(a/sqrt(2))/2 on [0, 6], with an error of at most 2^-27.6.
KG_DEVICE f32 log2_of_tail(f32 a) {
  f32 p = 0x1.910c6ap-22f;
  p = fma(p, a, -0x1.fed788p-18f);
  p = fma(p, a, 0x1.0c4adep-14f);
  p = fma(p, a, -0x1.082278p-12f);
  p = fma(p, a, -0x1.44e718p-15f);
  p = fma(p, a, 0x1.c98488p-8f);
  p = fma(p, a, -0x1.adbfb6p-5f);
  p = fma(p, a, -0x1.d63ca8p-2f);
  p = fma(p, a, -0x1.26aeccp0f);
  return fma(p, a, -1.0f);
}
/// Computes erfc(|x|/sqrt(2))/2, the tail beyond |x|, as a power of two: cheaper than erf, and without
/// cancellation.
KG_DEVICE f32 normcdf(f32 x) {
  const f32 a = abs(x), p = log2_of_tail(a);
  // Adding 1.5 · 2^23 rounds to an integer and leaves it, biased for an exponent, in the low bits.
  constexpr f32 shift = 0x1.8p23f + 127;
  const f32 shifted = p + shift;
  const f32 f = p - (shifted - shift);
  f32 q = 0x1.416b82p-13f;  // 2^f on [-0.5, 0.5], error 2^-28.3
  q = fma(q, f, 0x1.5f0838p-10f);
  q = fma(q, f, 0x1.3b2dep-7f);
  q = fma(q, f, 0x1.c6af7cp-5f);
  q = fma(q, f, 0x1.ebfbdcp-3f);
  q = fma(q, f, 0x1.62e43p-1f);
  q = fma(q, f, 1.0f);
  const f32 beyond = a >= 6.0f ? 0.0f : q * bit_cast<f32>(bit_cast<u32>(shifted) << 23);
  return x < 0 ? beyond : 1.0f - beyond;
}
#if KG_GPU
KG_DEVICE Rough normcdf(Rough x) {
  const f32 a = abs(x.value), beyond = a >= 6.0f ? 0.0f : native::rough_exp2(log2_of_tail(a));
  return Rough(x.value < 0 ? beyond : 1.0f - beyond);
}
#endif
KG_DEVICE f64 normcdf(f64 x) { return fma(0.5, erf(x * 0.70710678118654752440), 0.5); }
template <class T>
KG_DEVICE T gelu_erf(T x) {
  return T(x * normcdf(x));
}
template <class T>
KG_DEVICE T gelu_quick(T x) {
  return logistic(T(T(1.702) * x), x);
}
/// log(1 + e^x) = max(x, 0) + log(1 + e) with e = e^-|x|. If u is 1 + e, rounded, then log(u) · e / (u - 1) is
/// log(1 + e) without the error of that rounding (Kahan).
template <class T>
KG_DEVICE T softplus(T x) {
  const T e = exp(-abs(x)), u = T(1) + e;
  return (x < 0 ? T(0) : x) + (u == 1 ? e : log(u) * (e / (u - T(1))));
}
template <class T>
KG_DEVICE T elu(T x, T alpha) {
  return x > 0 ? x : alpha * expm1(x);
}

}  // namespace kg
