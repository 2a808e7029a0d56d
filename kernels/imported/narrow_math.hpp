#pragma once
/// What __half and bfloat16 have in common: operators and functions of one number and of a pair. Each is computed in float
/// and rounded once, which for +, -, *, / and the square root is the number's own arithmetic.
#include "imported/keywords.hpp"
#include "imported/math.hpp"

#define KG_NARROW_OPERATOR(T, T2, op)                                                           \
  KG_BOTH T operator op(T a, T b) { return T(static_cast<float>(a) op static_cast<float>(b)); } \
  KG_BOTH T& operator op##=(T & a, T b) { return a = a op b; }                                  \
  KG_BOTH T2 operator op(T2 a, T2 b) { return {a.x op b.x, a.y op b.y}; }                       \
  KG_BOTH T2& operator op##=(T2 & a, T2 b) { return a = a op b; }
#define KG_NARROW_COMPARISON(T, T2, op, name)                                                                \
  KG_BOTH bool operator op(T a, T b) { return static_cast<float>(a) op static_cast<float>(b); }              \
  KG_BOTH bool __h##name(T a, T b) { return a op b; }                                                        \
  KG_BOTH T2 __h##name##2(T2 a, T2 b) { return {T(a.x op b.x ? 1.0f : 0.0f), T(a.y op b.y ? 1.0f : 0.0f)}; } \
  KG_BOTH bool __hb##name##2(T2 a, T2 b) { return a.x op b.x && a.y op b.y; }
#define KG_NARROW_OPERATORS(T, T2)                                            \
  KG_NARROW_OPERATOR(T, T2, +)                                                \
  KG_NARROW_OPERATOR(T, T2, -)                                                \
  KG_NARROW_OPERATOR(T, T2, *)                                                \
  KG_NARROW_OPERATOR(T, T2, /)                                                \
  KG_NARROW_COMPARISON(T, T2, ==, eq)                                         \
  KG_NARROW_COMPARISON(T, T2, !=, ne)                                         \
  KG_NARROW_COMPARISON(T, T2, <, lt)                                          \
  KG_NARROW_COMPARISON(T, T2, <=, le)                                         \
  KG_NARROW_COMPARISON(T, T2, >, gt)                                          \
  KG_NARROW_COMPARISON(T, T2, >=, ge)                                         \
  KG_BOTH T operator-(T a) { return T(-static_cast<float>(a)); }              \
  KG_BOTH T operator+(T a) { return a; }                                      \
  KG_BOTH T2 operator-(T2 a) { return {-a.x, -a.y}; }                         \
  KG_BOTH bool operator==(T2 a, T2 b) { return a.x == b.x && a.y == b.y; }    \
  KG_BOTH T& operator++(T& a) { return a = T(static_cast<float>(a) + 1.0f); } \
  KG_BOTH T& operator--(T& a) { return a = T(static_cast<float>(a) - 1.0f); }

#define KG_NARROW_1(T, T2, name, expression) \
  KG_DEVICE T h##name(T a) {                 \
    const float x = a;                       \
    return T(expression);                    \
  }                                          \
  KG_DEVICE T2 h2##name(T2 a) { return {h##name(a.x), h##name(a.y)}; }
#define KG_NARROW_2(T, T2, name, expression) \
  KG_DEVICE T __h##name(T a, T b) {          \
    const float x = a, y = b;                \
    return T(expression);                    \
  }                                          \
  KG_DEVICE T2 __h##name##2(T2 a, T2 b) { return {__h##name(a.x, b.x), __h##name(a.y, b.y)}; }

#define KG_NARROW_MATH(T, T2)                                                                       \
  KG_NARROW_1(T, T2, exp, ::expf(x))                                                                \
  KG_NARROW_1(T, T2, exp2, ::exp2f(x))                                                              \
  KG_NARROW_1(T, T2, exp10, ::exp10f(x))                                                            \
  KG_NARROW_1(T, T2, log, ::logf(x))                                                                \
  KG_NARROW_1(T, T2, log2, ::log2f(x))                                                              \
  KG_NARROW_1(T, T2, log10, ::log10f(x))                                                            \
  KG_NARROW_1(T, T2, sqrt, ::sqrtf(x))                                                              \
  KG_NARROW_1(T, T2, rsqrt, 1.0f / ::sqrtf(x))                                                      \
  KG_NARROW_1(T, T2, rcp, 1.0f / x)                                                                 \
  KG_NARROW_1(T, T2, sin, ::sinf(x))                                                                \
  KG_NARROW_1(T, T2, cos, ::cosf(x))                                                                \
  KG_NARROW_1(T, T2, tanh, ::tanhf(x))                                                              \
  KG_NARROW_1(T, T2, ceil, ::ceilf(x))                                                              \
  KG_NARROW_1(T, T2, floor, ::floorf(x))                                                            \
  KG_NARROW_1(T, T2, trunc, ::truncf(x))                                                            \
  KG_NARROW_1(T, T2, rint, ::rintf(x))                                                              \
  KG_NARROW_2(T, T2, add, x + y)                                                                    \
  KG_NARROW_2(T, T2, sub, x - y)                                                                    \
  KG_NARROW_2(T, T2, mul, x* y)                                                                     \
  KG_NARROW_2(T, T2, div, x / y)                                                                    \
  KG_NARROW_2(T, T2, add_rn, x + y)                                                                 \
  KG_NARROW_2(T, T2, sub_rn, x - y)                                                                 \
  KG_NARROW_2(T, T2, mul_rn, x* y)                                                                  \
  KG_NARROW_2(T, T2, add_sat, kernelgen_import::saturated(x + y))                                   \
  KG_NARROW_2(T, T2, sub_sat, kernelgen_import::saturated(x - y))                                   \
  KG_NARROW_2(T, T2, mul_sat, kernelgen_import::saturated(x* y))                                    \
  KG_NARROW_2(T, T2, max, ::fmaxf(x, y))                                                            \
  KG_NARROW_2(T, T2, min, ::fminf(x, y))                                                            \
  KG_NARROW_2(T, T2, max_nan, x != x || y != y ? __builtin_nanf("") : ::fmaxf(x, y))                \
  KG_NARROW_2(T, T2, min_nan, x != x || y != y ? __builtin_nanf("") : ::fminf(x, y))                \
  KG_DEVICE T __hneg(T a) { return -a; }                                                            \
  KG_DEVICE T2 __hneg2(T2 a) { return -a; }                                                         \
  KG_DEVICE T __habs(T a) { return T(::fabsf(a)); }                                                 \
  KG_DEVICE T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                                 \
  KG_DEVICE T2 __h2div(T2 a, T2 b) { return a / b; }                                                \
  KG_DEVICE T __hfma(T a, T b, T c) { return T(::fmaf(a, b, c)); }                                  \
  KG_DEVICE T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
  KG_DEVICE bool __hisnan(T a) { return a != a; }                                                   \
  KG_DEVICE int __hisinf(T a) {                                                                     \
    return __builtin_isinf(static_cast<float>(a)) ? (a < T(0.0f) ? -1 : 1) : 0;                     \
  }                                                                                                 \
  KG_BOTH float __low2float(T2 a) { return a.x; }                                                   \
  KG_BOTH float __high2float(T2 a) { return a.y; }                                                  \
  KG_NARROW_PAIRS(T, T2)

/// Functions that CUDA names after the type of the pair, and atomics.
#define KG_NARROW_PAIRS(T, T2)                                                                       \
  KG_BOTH T2 __lowhigh2highlow(T2 a) { return {a.y, a.x}; }                                          \
  KG_BOTH T __low2half(T2 a) { return a.x; }                                                         \
  KG_BOTH T __high2half(T2 a) { return a.y; }                                                        \
  KG_BOTH T2 __low2half2(T2 a) { return {a.x, a.x}; }                                                \
  KG_BOTH T2 __high2half2(T2 a) { return {a.y, a.y}; }                                               \
  KG_BOTH T2 __lows2half2(T2 a, T2 b) { return {a.x, b.x}; }                                         \
  KG_BOTH T2 __highs2half2(T2 a, T2 b) { return {a.y, b.y}; }                                        \
  KG_DEVICE T atomicAdd(T* p, T value) {                                                             \
    return kernelgen_import::bits_to<T>(kernelgen_import::update<kernelgen_import::device_scope>(    \
        reinterpret_cast<unsigned short*>(p), [&](unsigned short x) {                                \
          return kernelgen_import::bits_to<unsigned short>(kernelgen_import::bits_to<T>(x) + value); \
        }));                                                                                         \
  }                                                                                                  \
  KG_DEVICE T2 atomicAdd(T2* p, T2 value) {                                                          \
    return kernelgen_import::bits_to<T2>(kernelgen_import::update<kernelgen_import::device_scope>(   \
        reinterpret_cast<unsigned*>(p), [&](unsigned x) {                                            \
          return kernelgen_import::bits_to<unsigned>(kernelgen_import::bits_to<T2>(x) + value);      \
        }));                                                                                         \
  }

namespace kernelgen_import {
template <class To, class From>
KG_BOTH To bits_to(From x) {
  return __builtin_bit_cast(To, x);
}
KG_BOTH float saturated(float x) { return x > 1 ? 1 : x >= 0 ? x : 0; }
}  // namespace kernelgen_import
