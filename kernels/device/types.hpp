#pragma once
/// Element types. Narrow floats are stored as bits; arithmetic uses the type they widen to.
namespace kg {

using u8 = unsigned char;
using i8 = signed char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i16 = short;
using i32 = int;
using i64 = long long;
using f32 = float;
using f64 = double;
/// Raw elements, for kernels that only move data.
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;

struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};
/// OCP e4m3fn: no infinity, NaN is 0x7f and 0xff, largest 448.
struct f8e4m3 {
  u8 bits;
};

template <class T>
struct Widened {
  using type = T;
};
template <>
struct Widened<f16> {
  using type = f32;
};
template <>
struct Widened<bf16> {
  using type = f32;
};
template <>
struct Widened<f8e4m3> {
  using type = f32;
};
/// The type an element is computed in: f32 for the narrow floats, itself otherwise.
template <class T>
using widened = typename Widened<T>::type;

template <class A, class B>
inline constexpr bool same = false;
template <class A>
inline constexpr bool same<A, A> = true;

template <class T>
inline constexpr bool is_narrow_float = same<T, f16> || same<T, bf16> || same<T, f8e4m3>;
/// f32 or f64: floats with hardware arithmetic.
template <class T>
inline constexpr bool is_wide_float = same<T, f32> || same<T, f64>;
template <class T>
inline constexpr bool is_integer = !is_narrow_float<T> && !is_wide_float<T> && !same<T, bool>;
template <class T>
inline constexpr bool is_signed_integer = same<T, i16> || same<T, i32> || same<T, i64>;

template <bool Condition, class T = void>
struct EnableIf {};
template <class T>
struct EnableIf<true, T> {
  using type = T;
};
template <bool Condition, class T = void>
using enable_if = typename EnableIf<Condition, T>::type;

/// The integers 0, 1, … N - 1 as a type, for expanding parameter packs.
template <int... I>
struct Indices {};
template <int N, int... I>
struct MakeIndices : MakeIndices<N - 1, N - 1, I...> {};
template <int... I>
struct MakeIndices<0, I...> {
  using type = Indices<I...>;
};

template <class T>
struct Limits;
template <>
struct Limits<u8> {
  static constexpr u8 lowest = 0, highest = 0xff;
};
template <>
struct Limits<u32> {
  static constexpr u32 lowest = 0, highest = 0xffffffffu;
};
template <>
struct Limits<i16> {
  static constexpr i16 lowest = -0x8000, highest = 0x7fff;
};
template <>
struct Limits<i32> {
  static constexpr i32 lowest = -0x7fffffff - 1, highest = 0x7fffffff;
};
template <>
struct Limits<i64> {
  static constexpr i64 lowest = -0x7fffffffffffffffLL - 1, highest = 0x7fffffffffffffffLL;
};

}  // namespace kg
