#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#include "lanes.hpp"

// What f16, f32 and f64 instructions have in common.
namespace kernelgen::amdgpu {

template <class T>
struct FloatBits;
template <>
struct FloatBits<Half> {
  using Bits = std::uint16_t;
  static constexpr int mantissa = 10, exponent_mask = 0x1f, bias = 15;
};
template <>
struct FloatBits<float> {
  using Bits = std::uint32_t;
  static constexpr int mantissa = 23, exponent_mask = 0xff, bias = 127;
};
template <>
struct FloatBits<double> {
  using Bits = std::uint64_t;
  static constexpr int mantissa = 52, exponent_mask = 0x7ff, bias = 1023;
};

template <class T>
auto bits_of(T x) {
  return std::bit_cast<typename FloatBits<T>::Bits>(x);
}
template <class T>
T of_bits(typename FloatBits<T>::Bits bits) {
  return std::bit_cast<T>(bits);
}
template <class T>
bool is_nan(T x) {
  return x != x;
}
template <class T>
bool is_negative(T x) {
  return bits_of(x) >> (8 * sizeof(T) - 1) != 0;
}
template <class T>
int exponent_field(T x) {
  return static_cast<int>(bits_of(x) >> FloatBits<T>::mantissa) & FloatBits<T>::exponent_mask;
}
template <class T>
bool is_finite(T x) {
  return exponent_field(x) != FloatBits<T>::exponent_mask;
}
template <class T>
T infinity() {
  return of_bits<T>(static_cast<typename FloatBits<T>::Bits>(
      static_cast<typename FloatBits<T>::Bits>(FloatBits<T>::exponent_mask) << FloatBits<T>::mantissa));
}
template <class T>
bool is_infinite(T x) {
  return x == infinity<T>() || x == -infinity<T>();
}
template <class T>
T quiet_nan() {
  return of_bits<T>(static_cast<typename FloatBits<T>::Bits>(
      bits_of(infinity<T>()) | typename FloatBits<T>::Bits{1} << (FloatBits<T>::mantissa - 1)));
}
template <class T>
T quieted(T x) {
  return of_bits<T>(static_cast<typename FloatBits<T>::Bits>(
      bits_of(x) | typename FloatBits<T>::Bits{1} << (FloatBits<T>::mantissa - 1)));
}
template <class T>
T with_sign(T x, bool negative) {
  using Bits = typename FloatBits<T>::Bits;
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(T) - 1));
  return of_bits<T>(static_cast<Bits>((bits_of(x) & static_cast<Bits>(~sign)) | (negative ? sign : Bits{0})));
}

/// The number that is not a NaN, if one is; -0 is below +0.
template <class T>
T minimum_number(T a, T b) {
  return is_nan(b) || a < b || (a == b && is_negative(a)) ? a : b;
}
template <class T>
T maximum_number(T a, T b) {
  return is_nan(b) || a > b || (a == b && is_negative(b)) ? a : b;
}
/// A NaN, if one is (v_minimum and v_maximum of gfx12).
template <class T>
T minimum(T a, T b) {
  return is_nan(a) ? quieted(a) : is_nan(b) ? quieted(b) : minimum_number(a, b);
}
template <class T>
T maximum(T a, T b) {
  return is_nan(a) ? quieted(a) : is_nan(b) ? quieted(b) : maximum_number(a, b);
}
template <class T>
T median(T a, T b, T c) {
  if (is_nan(a) || is_nan(b) || is_nan(c)) return minimum_number(minimum_number(a, b), c);
  return maximum_number(minimum_number(a, b), minimum_number(maximum_number(a, b), c));
}

/// The class bits of v_cmp_class: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
template <class T>
std::uint32_t class_of(T x) {
  const bool negative = is_negative(x);
  const auto fraction = static_cast<typename FloatBits<T>::Bits>(
      bits_of(x) & ((typename FloatBits<T>::Bits{1} << FloatBits<T>::mantissa) - 1));
  if (is_nan(x)) return fraction >> (FloatBits<T>::mantissa - 1) != 0 ? 2 : 1;
  if (!is_finite(x)) return negative ? 1u << 2 : 1u << 9;
  if (exponent_field(x) != 0) return negative ? 1u << 3 : 1u << 8;
  if (fraction != 0) return negative ? 1u << 4 : 1u << 7;
  return negative ? 1u << 5 : 1u << 6;
}

template <class T>
T fused(T a, T b, T c) {
  if constexpr (sizeof(T) == 2)
    // Exact but for bits too low to reach a half's last: the sum spans fewer than 53 bits where it matters.
    return static_cast<Half>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
  else
    return std::fma(a, b, c);
}

/// v_ldexp; the exponent saturates.
template <class T>
T scaled(T x, std::int32_t exponent) {
  if constexpr (sizeof(T) == 2)
    return static_cast<Half>(std::ldexp(static_cast<double>(x), std::max(-200, std::min(200, exponent))));
  else
    return std::ldexp(x, exponent);
}
template <class T>
T mantissa_of(T x) {  // v_frexp_mant
  if (!is_finite(x) || x == T(0)) return x;
  int unused = 0;
  return static_cast<T>(std::frexp(static_cast<double>(x), &unused));
}
template <class T>
std::int32_t exponent_of(T x) {  // v_frexp_exp
  if (!is_finite(x) || x == T(0)) return 0;
  int exponent = 0;
  std::frexp(static_cast<double>(x), &exponent);
  return exponent;
}
/// x - floor(x), below 1.
template <class T>
T fraction_of(T x) {
  const T one_less = of_bits<T>(static_cast<typename FloatBits<T>::Bits>(bits_of(T(1)) - 1));
  if (is_infinite(x)) return quiet_nan<T>();
  const T fraction = static_cast<T>(x - static_cast<T>(std::floor(x)));
  return fraction > one_less ? one_less : fraction;
}
/// To the nearest, ties to even, whatever the mode.
template <class T>
T rounded_even(T x) {
  if constexpr (sizeof(T) == 2)
    return static_cast<Half>(__builtin_roundevenf(static_cast<float>(x)));
  else if constexpr (sizeof(T) == 4)
    return __builtin_roundevenf(x);
  else
    return __builtin_roundeven(x);
}

/// v_div_fixup: the quotient with the special cases put right ("V_DIV_FIXUP_F32": quotient, denominator, numerator).
template <class T>
T division_fixed(T quotient, T denominator, T numerator) {
  const bool negative = is_negative(denominator) != is_negative(numerator);
  if (is_nan(numerator)) return quieted(numerator);
  if (is_nan(denominator)) return quieted(denominator);
  if (numerator == T(0) && denominator == T(0)) return with_sign(quiet_nan<T>(), true);
  if (is_infinite(numerator) && is_infinite(denominator)) return with_sign(quiet_nan<T>(), true);
  if (denominator == T(0) || is_infinite(numerator)) return with_sign(infinity<T>(), negative);
  if (is_infinite(denominator) || numerator == T(0)) return with_sign(T(0), negative);
  if (sizeof(T) > 2) {
    const int difference = exponent_field(numerator) - exponent_field(denominator);
    if (difference < (sizeof(T) == 4 ? -150 : -1075)) return with_sign(T(0), negative);
    if (exponent_field(denominator) == FloatBits<T>::exponent_mask) return with_sign(infinity<T>(), negative);
  }
  return with_sign(quotient, negative);
}

/// v_div_scale: numerator or denominator, scaled so that the steps of a division neither overflow nor lose bits, and
/// whether the quotient is to be scaled back by v_div_fmas ("V_DIV_SCALE_F32": value, denominator, numerator).
template <class T>
WithMask<T> division_scaled(T value, T denominator, T numerator) {
  constexpr bool is_32 = sizeof(T) == 4;
  constexpr int up = is_32 ? 64 : 128, gap = is_32 ? 96 : 768, low = is_32 ? 23 : 53;
  if (denominator == T(0) || numerator == T(0)) return {quiet_nan<T>(), false};
  const int n = exponent_field(numerator), d = exponent_field(denominator);
  const bool is_denominator = bits_of(value) == bits_of(denominator);
  const bool is_numerator = bits_of(value) == bits_of(numerator);
  if (n - d >= gap) return {is_denominator ? std::ldexp(value, up) : value, true};
  if (d == 0) return {std::ldexp(value, up), false};
  const T inverse = T(1) / denominator, quotient = numerator / denominator;
  const bool inverse_denormal = exponent_field(inverse) == 0 && inverse != T(0);
  const bool quotient_denormal = exponent_field(quotient) == 0;
  // The documents scale up here, which overflows: it is the result that v_div_fmas scales down.
  if (inverse_denormal && quotient_denormal) return {is_denominator ? std::ldexp(value, -up) : value, true};
  if (inverse_denormal) return {std::ldexp(value, -up), false};
  if (quotient_denormal) return {is_numerator ? std::ldexp(value, up) : value, true};
  if (n <= low) return {std::ldexp(value, up), false};
  return {value, false};
}

}  // namespace kernelgen::amdgpu
