#pragma once
/// convert<To>(x): the cast that every operation ends with. Float to integer truncates toward zero,
/// saturates, and maps NaN to 0. Integer to integer keeps the low bits. Conversions to a float round once, to
/// nearest even.
#include "device/dialect.hpp"

namespace kg {

/// Truncates `x` to f32 and sets the last bit if anything was lost. Rounding the result to a narrower float
/// gives the same value as rounding `x` itself (round to odd; Boldo and Melquiond, IEEE Trans. Computers
/// 57(4), 2008).
KG_DEVICE f32 round_to_odd(f64 x) {
  const f32 nearest = static_cast<f32>(x);
  const f64 back = static_cast<f64>(nearest);
  const u32 bits = bit_cast<u32>(nearest);
  const bool away = (back < 0 ? -back : back) > (x < 0 ? -x : x);
  const u32 odd = (bits - (away ? 1u : 0u)) | 1u;
  return back == x || x != x ? nearest : bit_cast<f32>(odd);
}

/// An f64 that rounds to at most 51 bits exactly as `x` does (round to odd).
KG_DEVICE f64 round_to_odd(i64 x) {
  const u64 magnitude = x < 0 ? 0 - static_cast<u64>(x) : static_cast<u64>(x);
  const u64 cut = magnitude >> 11 | ((magnitude & 0x7ff) != 0 ? 1 : 0);
  const f64 value = magnitude >> 53 ? static_cast<f64>(static_cast<i64>(cut)) * 2048.0
                                    : static_cast<f64>(static_cast<i64>(magnitude));
  return x < 0 ? -value : value;
}

template <class To, class From>
KG_DEVICE To saturate(From x) {
  using L = Limits<To>;
  // As floats, both bounds are exact or one past the last representable value, so the comparisons are exact.
  constexpr From low = static_cast<From>(L::lowest);
  constexpr From high = static_cast<From>(L::highest / 2 + 1) * 2;
  To y = static_cast<To>(x > low && x < high ? x : From(0));
  y = x <= low ? L::lowest : y;
  return x >= high ? L::highest : y;
}

template <class To, class From>
KG_DEVICE To convert(From x) {
  if constexpr (same<To, From>) {
    return x;
  } else if constexpr (is_narrow_float<From>) {
    return convert<To>(widen(x));
  } else if constexpr (is_narrow_float<To>) {
    if constexpr (same<From, f32>)
      return narrow<To>(x);
    else if constexpr (same<From, f64>)
      return narrow<To>(round_to_odd(x));
    else if constexpr (sizeof(From) < 4 || same<From, bool>)
      return narrow<To>(static_cast<f32>(x));
    else if constexpr (sizeof(From) == 4)
      return narrow<To>(round_to_odd(static_cast<f64>(x)));
    else
      return narrow<To>(round_to_odd(round_to_odd(static_cast<i64>(x))));
  } else if constexpr (is_wide_float<From> && is_integer<To>) {
    return saturate<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

}  // namespace kg
