#pragma once
/// __half and __half2, with their conversions and mathematics. Arithmetic is that of _Float16.
#include "imported/atomics.hpp"
#include "imported/narrow_math.hpp"
#include "imported/vectors.hpp"

struct __half_raw {
  unsigned short x;
};

struct alignas(2) __half {
  _Float16 data;

  __half() = default;
  KG_BOTH constexpr __half(_Float16 x) : data(x) {}
  KG_BOTH constexpr __half(float x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(double x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(int x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(unsigned x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(short x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(unsigned short x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(long x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(unsigned long x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(long long x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH constexpr __half(unsigned long long x) : data(static_cast<_Float16>(x)) {}
  KG_BOTH __half(__half_raw raw) : data(__builtin_bit_cast(_Float16, raw.x)) {}
  KG_BOTH constexpr explicit operator _Float16() const { return data; }
  KG_BOTH constexpr operator float() const { return static_cast<float>(data); }
  KG_BOTH operator __half_raw() const { return {__builtin_bit_cast(unsigned short, data)}; }
  KG_BOTH constexpr explicit operator bool() const { return data != 0; }
  template <class T, class = kg::enable_if<kg::is_integer<T> || kg::same<T, double>>>
  KG_BOTH constexpr explicit operator T() const {
    return static_cast<T>(data);
  }
};
using half = __half;

struct alignas(4) __half2 {
  __half x, y;

  __half2() = default;
  KG_BOTH constexpr __half2(__half x, __half y) : x(x), y(y) {}
  KG_BOTH constexpr __half2(__half both) : x(both), y(both) {}
};
using half2 = __half2;

KG_NARROW_OPERATORS(__half, __half2)
KG_NARROW_MATH(__half, __half2)

KG_BOTH __half __float2half(float x) { return __half(x); }
KG_BOTH __half __float2half_rn(float x) { return __half(x); }
KG_BOTH __half __double2half(double x) { return __half(x); }
KG_BOTH float __half2float(__half x) { return x; }
KG_BOTH __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
KG_BOTH __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
KG_BOTH __half2 __float2half2_rn(float x) { return __half2(__half(x)); }
KG_BOTH float2 __half22float2(__half2 x) { return {x.x, x.y}; }
KG_BOTH __half2 __half2half2(__half x) { return __half2(x); }
KG_BOTH __half2 __halves2half2(__half x, __half y) { return {x, y}; }
KG_BOTH __half2 make_half2(__half x, __half y) { return {x, y}; }
#define KG_HALF_OF_INTEGER(type, name)                                                        \
  KG_BOTH __half __##name##2half_rn(type x) { return __half(static_cast<float>(x)); }         \
  KG_BOTH type __half2##name##_rn(__half x) { return static_cast<type>(__builtin_rintf(x)); } \
  KG_BOTH type __half2##name##_rz(__half x) { return static_cast<type>(x.data); }
KG_HALF_OF_INTEGER(int, int)
KG_HALF_OF_INTEGER(unsigned, uint)
KG_HALF_OF_INTEGER(short, short)
KG_HALF_OF_INTEGER(unsigned short, ushort)
KG_HALF_OF_INTEGER(long long, ll)
KG_HALF_OF_INTEGER(unsigned long long, ull)
#undef KG_HALF_OF_INTEGER
KG_BOTH unsigned short __half_as_ushort(__half x) { return __builtin_bit_cast(unsigned short, x.data); }
KG_BOTH short __half_as_short(__half x) { return __builtin_bit_cast(short, x.data); }
KG_BOTH __half __ushort_as_half(unsigned short x) { return __builtin_bit_cast(_Float16, x); }
KG_BOTH __half __short_as_half(short x) { return __builtin_bit_cast(_Float16, x); }
