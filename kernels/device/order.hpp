#pragma once
/// Maps values to unsigned keys with the same order.
#include "device/dialect.hpp"
#include "plan/sort.hpp"

namespace kg {
namespace detail {

template <int Bytes>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
  using type = u8;
};
template <>
struct UnsignedOf<2> {
  using type = u16;
};
template <>
struct UnsignedOf<4> {
  using type = u32;
};
template <>
struct UnsignedOf<8> {
  using type = u64;
};

/// The bits of the largest magnitude that is not NaN.
template <class T>
inline constexpr u32 last_magnitude = 0;
template <>
inline constexpr u32 last_magnitude<bf16> = 0x7f80;
template <>
inline constexpr u32 last_magnitude<f16> = 0x7c00;
template <>
inline constexpr u32 last_magnitude<f8e4m3> = 0x7e;

}  // namespace detail

template <class T>
using OrderBits = typename detail::UnsignedOf<sizeof(T)>::type;

/// Unsigned bits in the order of the values: ascending if Sign is 1, descending if -1, NaN always last. Both
/// zeros map to the same key.
template <int Sign, class T>
KG_DEVICE OrderBits<T> order_bits(T x) {
  using Bits = OrderBits<T>;
  constexpr Bits top = Bits(1) << (8 * sizeof(T) - 1), last = static_cast<Bits>(~Bits(0));
  Bits bits;
  bool is_nan = false;
  if constexpr (is_integer<T>) {
    bits = static_cast<Bits>(static_cast<Bits>(x) ^ (is_signed_integer<T> ? top : Bits(0)));
  } else {
    Bits signed_bits;
    if constexpr (is_narrow_float<T>) {
      const Bits magnitude = static_cast<Bits>(x.bits & ~top);
      is_nan = magnitude > detail::last_magnitude<T>;
      signed_bits = magnitude == 0 ? magnitude : x.bits;
    } else {
      is_nan = x != x;
      signed_bits = bit_cast<Bits>(x + T(0));
    }
    bits = static_cast<Bits>(signed_bits & top ? ~signed_bits : signed_bits | top);
  }
  return is_nan ? last : Sign > 0 ? bits : static_cast<Bits>(~bits);
}

/// The inverse of order_bits<Sign>, except that every NaN becomes a quiet NaN and zeros lose their sign. T
/// must not be a narrow float.
template <int Sign, class T>
KG_DEVICE T value_of_order(OrderBits<T> bits) {
  static_assert(!is_narrow_float<T>, "narrow floats are ordered by what they widen to");
  using Bits = OrderBits<T>;
  constexpr Bits top = Bits(1) << (8 * sizeof(T) - 1);
  const Bits upwards = Sign > 0 ? bits : static_cast<Bits>(~bits);
  if constexpr (is_integer<T>) {
    return static_cast<T>(static_cast<Bits>(upwards ^ (is_signed_integer<T> ? top : Bits(0))));
  } else {
    const T value = bit_cast<T>(upwards & top ? upwards ^ top : static_cast<Bits>(~upwards));
    return bits == static_cast<Bits>(~Bits(0)) ? static_cast<T>(__builtin_nanf("")) : value;
  }
}

/// order_bits with the order chosen at run time by a value of Order.
template <class T>
KG_DEVICE OrderBits<T> order_bits(T x, u32 order) {
  if (order == static_cast<u32>(Order::descending)) return order_bits<-1>(x);
  const OrderBits<T> upwards = order_bits<1>(x);
  return order == static_cast<u32>(Order::ascending) ? upwards : static_cast<OrderBits<T>>(~upwards);
}

}  // namespace kg
