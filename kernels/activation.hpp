#pragma once
/// Activations and their relatives, on f32 and f64.
#include "arithmetic.hpp"

namespace kg {

template <class T>
KG_DEVICE T recip(T x) {
  return T(1) / x;
}
/// scale / (1 + exp(-x)), by the exponential that cannot overflow: no cancellation, no loss in the tails.
template <class T>
KG_DEVICE T logistic(T x, T scale) {
  const T e = exp(-abs(x));
  return (x < 0 ? scale * e : scale) / (T(1) + e);
}
template <class T>
KG_DEVICE T sigmoid(T x) {
  return logistic(x, T(1));
}
template <class T>
KG_DEVICE T silu(T x) {
  return logistic(x, x);
}
/// 0.5 x (1 + tanh(u)), u = sqrt(2/pi) (x + 0.044715 x³): the same as x · sigmoid(2u).
template <class T>
KG_DEVICE T gelu(T x) {
  const T u = T(0.79788456080286535588) * fma(T(0.044715) * x * x, x, x);
  return logistic(T(2) * u, x);
}
KG_DEVICE f32 normcdf(f32 x) { return fma(0.5f, erf(x * 0.70710678118654752440f), 0.5f); }
KG_DEVICE f64 normcdf(f64 x) { return fma(0.5, erf(x * 0.70710678118654752440), 0.5); }
template <class T>
KG_DEVICE T gelu_erf(T x) {
  return x * normcdf(x);
}
template <class T>
KG_DEVICE T elu(T x, T alpha) {
  return x > 0 ? x : alpha * expm1(x);
}

}  // namespace kg
