#pragma once
/// Definitions of +, max, abs and the like for every element type. Integers wrap (sources are compiled with
/// -fwrapv).
#include "device/math.hpp"

namespace kg {

template <class T, class = enable_if<is_integer<T>>>
KG_DEVICE T fma(T a, T b, T c) {
  return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b) + static_cast<u64>(c));
}

template <class T>
KG_DEVICE T add(T a, T b) {
  return static_cast<T>(a + b);
}
template <class T>
KG_DEVICE T sub(T a, T b) {
  return static_cast<T>(a - b);
}
template <class T>
KG_DEVICE T mul(T a, T b) {
  if constexpr (is_integer<T>)
    return static_cast<T>(static_cast<u64>(a) * static_cast<u64>(b));  // u16 * u16 would overflow int
  else
    return a * b;
}

/// Integer division truncates toward zero, x / 0 is 0, and lowest / -1 wraps.
template <class T>
KG_DEVICE T div(T a, T b) {
  if constexpr (is_integer<T>) {
    // For b = 0 and b = -1 the result equals a * b.
    const bool multiplies = b == 0 || (is_signed_integer<T> && b == static_cast<T>(-1));
    const T quotient = static_cast<T>(a / (multiplies ? T(1) : b));
    return multiplies ? mul(a, b) : quotient;
  } else {
    return a / b;
  }
}

/// A NaN in either operand propagates. CUDA has instructions for f32.
template <class T>
KG_DEVICE T maximum(T a, T b) {
  return a > b || a != a ? a : b;
}
template <class T>
KG_DEVICE T minimum(T a, T b) {
  return a < b || a != a ? a : b;
}

template <class T>
KG_DEVICE T neg(T x) {
  if constexpr (is_integer<T>)
    return sub(T(0), x);
  else
    return -x;
}
template <class T>
KG_DEVICE T sqr(T x) {
  return mul(x, x);
}
/// sign(NaN) is NaN; the sign of either zero is +0.
template <class T>
KG_DEVICE T sign(T x) {
  if constexpr (is_integer<T> && !is_signed_integer<T>)
    return static_cast<T>(x > 0);
  else
    return x != x ? x : static_cast<T>((x > 0) - (x < 0));
}
template <class T>
KG_DEVICE T relu(T x) {
  if constexpr (is_integer<T> && !is_signed_integer<T>)
    return x;
  else
    return x < 0 ? T(0) : x;
}

template <class T, class = enable_if<is_integer<T>>>
KG_DEVICE T floor(T x) {
  return x;
}
template <class T, class = enable_if<is_integer<T>>>
KG_DEVICE T ceil(T x) {
  return x;
}
template <class T, class = enable_if<is_integer<T>>, class = void>
KG_DEVICE T round(T x) {
  return x;
}
template <class T, class = enable_if<is_integer<T>>>
KG_DEVICE T abs(T x) {
  if constexpr (is_signed_integer<T>)
    return x < 0 ? neg(x) : x;
  else
    return x;
}

}  // namespace kg
