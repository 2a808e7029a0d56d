#pragma once
/// What / and % of expressions mean: for floats what C++ says, for integers what div says. Generated sources whose
/// expressions divide include this.
#include "device/arithmetic.hpp"

namespace kg {
namespace detail {

/// The type of the vocabulary for a result of C++'s arithmetic conversions: int, long, long long, or one without sign.
template <bool is_signed, unsigned long long bytes>
struct ArithmeticInteger;
template <>
struct ArithmeticInteger<true, 4> {
  using type = i32;
};
template <>
struct ArithmeticInteger<false, 4> {
  using type = u32;
};
template <>
struct ArithmeticInteger<true, 8> {
  using type = i64;
};
template <>
struct ArithmeticInteger<false, 8> {
  using type = u64;
};
template <class T>
using arithmetic_integer = typename ArithmeticInteger<(T(0) - T(1) < T(0)), sizeof(T)>::type;

}  // namespace detail

/// Of vectors too, which are classes (engines/simd_cpu.hpp).
template <class A, class B, class Quotient = decltype(A() / B())>
KG_DEVICE auto quotient(A a, B b) {
  if constexpr (is_wide_float<Quotient> || __is_class(Quotient)) {
    return a / b;
  } else {
    using T = detail::arithmetic_integer<Quotient>;
    return div<T>(static_cast<T>(a), static_cast<T>(b));
  }
}

/// Of the sign of a; by zero 0, as a quotient is.
template <class A, class B, class Remainder = decltype(A() % B())>
KG_DEVICE auto remainder(A a, B b) {
  using T = detail::arithmetic_integer<Remainder>;
  const T x = static_cast<T>(a), y = static_cast<T>(b);
  return y == 0 ? T(0) : sub<T>(x, mul<T>(div<T>(x, y), y));
}

}  // namespace kg
