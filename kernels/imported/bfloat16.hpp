#pragma once
/// __hip_bfloat16, under CUDA's name too, and pairs of them. Arithmetic is that of float, rounded to nearest even.
#include "imported/atomics.hpp"
#include "imported/half.hpp"
#include "imported/narrow_math.hpp"

struct __hip_bfloat16_raw {
  unsigned short x;
};

struct alignas(2) __hip_bfloat16 {
  unsigned short data;

  __hip_bfloat16() = default;
  KG_BOTH constexpr __hip_bfloat16(float x) : data(rounded(x)) {}
  KG_BOTH constexpr __hip_bfloat16(double x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(int x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(unsigned x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(long x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(unsigned long x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(long long x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(unsigned long long x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(__half x) : data(rounded(static_cast<float>(x))) {}
  KG_BOTH constexpr __hip_bfloat16(__hip_bfloat16_raw raw) : data(raw.x) {}
  KG_BOTH constexpr operator float() const {
    return __builtin_bit_cast(float, static_cast<unsigned>(data) << 16);
  }
  KG_BOTH constexpr operator __hip_bfloat16_raw() const { return {data}; }
  KG_BOTH constexpr explicit operator bool() const { return (data & 0x7fff) != 0; }
  template <class T, class = kg::enable_if<kg::is_integer<T> || kg::same<T, double>>>
  KG_BOTH constexpr explicit operator T() const {
    return static_cast<T>(static_cast<float>(*this));
  }

 private:
  static KG_BOTH constexpr unsigned short rounded(float x) {
    const unsigned bits = __builtin_bit_cast(unsigned, x);
    if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<unsigned short>(bits >> 16 | 0x40);  // NaN
    return static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

struct alignas(4) __hip_bfloat162 {
  __hip_bfloat16 x, y;

  __hip_bfloat162() = default;
  KG_BOTH constexpr __hip_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) : x(x), y(y) {}
  KG_BOTH constexpr __hip_bfloat162(__hip_bfloat16 both) : x(both), y(both) {}
};

using hip_bfloat16 = __hip_bfloat16;
#ifdef KERNELGEN_CUDA_FILE
using __nv_bfloat16 = __hip_bfloat16;
using __nv_bfloat162 = __hip_bfloat162;
using nv_bfloat16 = __hip_bfloat16;
using nv_bfloat162 = __hip_bfloat162;
#endif

KG_NARROW_OPERATORS(__hip_bfloat16, __hip_bfloat162)
KG_NARROW_MATH(__hip_bfloat16, __hip_bfloat162)

KG_BOTH __hip_bfloat16 __float2bfloat16(float x) { return x; }
KG_BOTH __hip_bfloat16 __float2bfloat16_rn(float x) { return x; }
KG_BOTH __hip_bfloat16 __double2bfloat16(double x) { return x; }
KG_BOTH float __bfloat162float(__hip_bfloat16 x) { return x; }
KG_BOTH __hip_bfloat162 __floats2bfloat162_rn(float x, float y) { return {x, y}; }
KG_BOTH __hip_bfloat162 __float22bfloat162_rn(float2 x) { return {x.x, x.y}; }
KG_BOTH __hip_bfloat162 __float2bfloat162_rn(float x) { return __hip_bfloat162(__hip_bfloat16(x)); }
KG_BOTH float2 __bfloat1622float2(__hip_bfloat162 x) { return {x.x, x.y}; }
KG_BOTH __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 x) { return __hip_bfloat162(x); }
KG_BOTH __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) { return {x, y}; }
KG_BOTH unsigned short __bfloat16_as_ushort(__hip_bfloat16 x) { return x.data; }
KG_BOTH __hip_bfloat16 __ushort_as_bfloat16(unsigned short x) { return __hip_bfloat16_raw{x}; }
