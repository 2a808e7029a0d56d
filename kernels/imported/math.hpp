#pragma once
/// The mathematics of C, and the device's fast functions and named roundings.
#include "imported/keywords.hpp"

#if KG_GPU
// Clang's own headers for HIP: C's functions on the device, and the fast ones.
#include <__clang_hip_libdevice_declares.h>
#include <cmath>
// Its min and max are of fewer types than HIP's, and could not be joined by others.
#define max kernelgen_clang_max
#define min kernelgen_clang_min
#include <__clang_hip_math.h>
#undef max
#undef min
#include <__clang_cuda_math_forward_declares.h>
#include <__clang_hip_cmath.h>
#else
#include <math.h>

#include <cmath>
#define KG_FAST_1(name, expression) \
  KG_DEVICE float name(float x) { return expression; }
KG_FAST_1(__expf, ::expf(x))
KG_FAST_1(__exp10f, ::powf(10.0f, x))
KG_FAST_1(exp10f, ::powf(10.0f, x))
KG_FAST_1(__logf, ::logf(x))
KG_FAST_1(__log2f, ::log2f(x))
KG_FAST_1(__log10f, ::log10f(x))
KG_FAST_1(__sinf, ::sinf(x))
KG_FAST_1(__cosf, ::cosf(x))
KG_FAST_1(__tanf, ::tanf(x))
KG_FAST_1(__frcp_rn, 1.0f / x)
KG_FAST_1(__frsqrt_rn, 1.0f / ::sqrtf(x))
KG_FAST_1(__fsqrt_rn, ::sqrtf(x))
KG_FAST_1(__saturatef, x > 1 ? 1 : x >= 0 ? x : 0)
KG_FAST_1(rsqrtf, 1.0f / ::sqrtf(x))
KG_FAST_1(sinpif, ::sinf(3.14159265358979f * x))
KG_FAST_1(cospif, ::cosf(3.14159265358979f * x))
KG_FAST_1(normcdff, 0.5f * ::erfcf(-x * 0.70710678118654752f))
#undef KG_FAST_1
KG_DEVICE float __powf(float x, float y) { return ::powf(x, y); }
KG_DEVICE void __sincosf(float x, float* s, float* c) { *s = ::sinf(x), *c = ::cosf(x); }
KG_DEVICE float __fdividef(float x, float y) { return x / y; }
KG_DEVICE float __fadd_rn(float x, float y) { return x + y; }
KG_DEVICE float __fsub_rn(float x, float y) { return x - y; }
KG_DEVICE float __fmul_rn(float x, float y) { return x * y; }
KG_DEVICE float __fdiv_rn(float x, float y) { return x / y; }
KG_DEVICE float __fmaf_rn(float x, float y, float z) { return ::fmaf(x, y, z); }
KG_DEVICE double __dadd_rn(double x, double y) { return x + y; }
KG_DEVICE double __dsub_rn(double x, double y) { return x - y; }
KG_DEVICE double __dmul_rn(double x, double y) { return x * y; }
KG_DEVICE double __ddiv_rn(double x, double y) { return x / y; }
KG_DEVICE double __fma_rn(double x, double y, double z) { return ::fma(x, y, z); }
KG_DEVICE double rsqrt(double x) { return 1.0 / ::sqrt(x); }
KG_DEVICE double exp10(double x) { return ::pow(10.0, x); }
KG_DEVICE double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752); }
#endif

// max and min of any two numbers; __builtin_fmax skips NaN as C's do.
#define KG_EXTREME(name, comparison)                                                                        \
  KG_BOTH constexpr int name(int a, int b) { return a comparison b ? a : b; }                               \
  KG_BOTH constexpr unsigned name(unsigned a, unsigned b) { return a comparison b ? a : b; }                \
  KG_BOTH constexpr unsigned name(int a, unsigned b) { return name(static_cast<unsigned>(a), b); }          \
  KG_BOTH constexpr unsigned name(unsigned a, int b) { return name(a, static_cast<unsigned>(b)); }          \
  KG_BOTH constexpr long name(long a, long b) { return a comparison b ? a : b; }                            \
  KG_BOTH constexpr unsigned long name(unsigned long a, unsigned long b) { return a comparison b ? a : b; } \
  KG_BOTH constexpr long long name(long long a, long long b) { return a comparison b ? a : b; }             \
  KG_BOTH constexpr unsigned long long name(unsigned long long a, unsigned long long b) {                   \
    return a comparison b ? a : b;                                                                          \
  }                                                                                                         \
  KG_BOTH constexpr float name(float a, float b) { return __builtin_f##name##f(a, b); }                     \
  KG_BOTH constexpr double name(double a, double b) { return __builtin_f##name(a, b); }                     \
  KG_BOTH constexpr double name(float a, double b) { return name(static_cast<double>(a), b); }              \
  KG_BOTH constexpr double name(double a, float b) { return name(a, static_cast<double>(b)); }
KG_EXTREME(max, >)
KG_EXTREME(min, <)
#undef KG_EXTREME

template <class T>
KG_DEVICE T __ldg(const T* p) {
  return *p;
}
#define KG_LOAD(name)            \
  template <class T>             \
  KG_DEVICE T name(const T* p) { \
    return *p;                   \
  }
KG_LOAD(__ldcs)
KG_LOAD(__ldcg)
KG_LOAD(__ldca)
KG_LOAD(__ldcv)
KG_LOAD(__ldlu)
#undef KG_LOAD
#define KG_STORE(name)                 \
  template <class T>                   \
  KG_DEVICE void name(T* p, T value) { \
    *p = value;                        \
  }
KG_STORE(__stcs)
KG_STORE(__stcg)
KG_STORE(__stwb)
KG_STORE(__stwt)
#undef KG_STORE

#ifdef KERNELGEN_CUDA_FILE
#define CUDART_INF_F __builtin_inff()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_INF __builtin_inf()
#define CUDART_PI_F 3.141592654f
#endif
