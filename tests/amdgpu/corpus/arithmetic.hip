// Arithmetic of every type, packed and in double rate (VOPD), with constants and fused products.
#include "common.hpp"

template <class T>
DEVICE inline T mixed(T a, T b, T c) {
  T r = a * b + c;
  r = r > a ? r - b : r + a;
  return a < b ? r / (b + T(1)) : r * T(3) - c;
}
#define TYPED(NAME, T)                                                             \
  KERNEL arithmetic_##NAME(T* y, const T* a, const T* b, const T* c) {             \
    const unsigned i = item();                                                     \
    y[i] = mixed(a[i], b[i], c[i]);                                                \
  }
TYPED(i8, signed char) TYPED(u8, uchar) TYPED(i16, short) TYPED(u16, ushort) TYPED(i32, int) TYPED(u32, unsigned)
TYPED(i64, long long) TYPED(u64, ulong) TYPED(f16, _Float16) TYPED(f32, float) TYPED(f64, double) TYPED(half2, half2)
TYPED(float2, float2)

#define BITS(NAME, T)                                                              \
  KERNEL bits_##NAME(T* y, const T* a, const T* b, const T* c) {                   \
    const unsigned i = item();                                                     \
    const T x = a[i], s = b[i] & (T)(sizeof(T) * 8 - 1);                             \
    T r = (x << s) ^ (x >> s) ^ ((x & b[i]) | (~x & c[i]));                        \
    r += __builtin_popcountll((ulong)x) + __builtin_clzll((ulong)x | 1) + __builtin_ctzll((ulong)x | 1ull << 40); \
    y[i] = r;                                                                      \
  }
BITS(i16, short) BITS(u16, ushort) BITS(i32, int) BITS(u32, unsigned) BITS(i64, long long) BITS(u64, ulong)

KERNEL integer_extras(unsigned* y, const unsigned* a, const int* b, const ulong* c) {
  const unsigned i = item(), x = a[i];
  const int z = b[i];
  unsigned r = __builtin_bswap32(x) + __builtin_amdgcn_ubfe(x, 3, 7) + __builtin_amdgcn_sbfe(z, 4, 9);
  r += __builtin_amdgcn_alignbit(x, z, 5) + __builtin_amdgcn_alignbyte(x, z, 3) + __builtin_amdgcn_perm(x, z, 0x07020500u);
  r += __builtin_amdgcn_sad_u8(x, z, r) + __builtin_amdgcn_msad_u8(x, z, r) + __builtin_amdgcn_sad_u16(x, z, r);
  r += __builtin_amdgcn_lerp(x, z, r) + (x & 0xffffff) * (unsigned)(z & 0xffffff) + (unsigned)((z << 8 >> 8) * ((int)x << 8 >> 8));
  r += (unsigned)((ulong)x * (unsigned)z >> 32) + (unsigned)((long long)(int)x * z >> 32) + __builtin_bitreverse32(x);
  r += __builtin_elementwise_add_sat(x, r) + __builtin_elementwise_sub_sat(x, 77u);
  r += (unsigned)__builtin_elementwise_add_sat((int)x, z) + (unsigned)__builtin_elementwise_max(z, (int)r);
  r += (unsigned)(c[i] * 1000003 + x) + (unsigned)(c[i] % 10) + x / 7 + (unsigned)(z / 13) + x % 1000;
  y[i] = r;
}

KERNEL float_extras(float* y, const float* a, const float* b, const double* d) {
  const unsigned i = item();
  const float x = a[i], z = b[i];
  float r = __builtin_floorf(x) + __builtin_ceilf(z) + __builtin_truncf(x) + __builtin_rintf(z) + __builtin_roundf(x);
  r += __builtin_fmaf(x, z, r) + __builtin_fminf(x, z) + __builtin_fmaxf(x, r) + __builtin_fabsf(z) + __builtin_copysignf(x, z);
  r += __builtin_amdgcn_fmed3f(x, z, r) + __builtin_amdgcn_rcpf(x) + __builtin_amdgcn_rsqf(z) + __builtin_amdgcn_sqrtf(x);
  r += __builtin_amdgcn_exp2f(x) + __builtin_amdgcn_logf(z) + __builtin_amdgcn_sinf(x) + __builtin_amdgcn_cosf(z);
  r += __builtin_amdgcn_fractf(x) + __builtin_amdgcn_ldexpf(x, 3) + __builtin_amdgcn_frexp_mantf(x) + (float)__builtin_amdgcn_frexp_expf(z);
  r += __builtin_amdgcn_classf(x, 0x3f) ? 1.0f : z;
  r += x / z + __builtin_sqrtf(z) + __builtin_exp2f(x) + __builtin_log2f(z) + __builtin_expf(x) + __builtin_logf(z);
  const double e = d[i];
  r += (float)(__builtin_floor(e) + __builtin_sqrt(e) + e / (double)x + __builtin_fma(e, e, 1.0) + __builtin_rint(e));
  r += (float)(__builtin_amdgcn_rcp(e) + __builtin_amdgcn_rsq(e) + __builtin_amdgcn_ldexp(e, 2) + __builtin_amdgcn_frexp_mant(e) +
               __builtin_amdgcn_fract(e) + __builtin_fmin(e, 2.0) + __builtin_fmax(e, 1.0) + __builtin_trunc(e) + __builtin_ceil(e));
  y[i] = r;
}

#if !defined(__gfx900__)
KERNEL half_extras(_Float16* y, const _Float16* a, const half2* b) {
  const unsigned i = item();
  const _Float16 x = a[i];
  const half2 z = b[i];
  _Float16 r = __builtin_floorf16(x) + __builtin_ceilf16(x) + __builtin_truncf16(x) + __builtin_rintf16(x) + __builtin_sqrtf16(x);
  r += __builtin_fmaf16(x, z.x, z.y) + __builtin_fminf16(x, z.x) + __builtin_fmaxf16(x, z.y) + __builtin_exp2f16(x) + __builtin_log2f16(x);
  r += x / z.x + __builtin_fabsf16(x) + __builtin_amdgcn_rcph(x) + __builtin_amdgcn_rsqh(x) + __builtin_amdgcn_sinh(x) + __builtin_amdgcn_cosh(x);
  r += __builtin_amdgcn_fmed3h(x, z.x, z.y);
  const half2 p = __builtin_elementwise_max(z, -z) + __builtin_elementwise_min(z, z * z) + __builtin_elementwise_fma(z, z, z);
  y[i] = r + p.x + p.y;
}
#endif

#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx1030__)
KERNEL dots(int* y, const int* a, const int* b) {
  const unsigned i = item();
  y[i] = __builtin_amdgcn_sdot4(a[i], b[i], 1, false) + __builtin_amdgcn_sdot8(a[i], b[i], 2, false) +
         (int)__builtin_amdgcn_udot4((unsigned)a[i], (unsigned)b[i], 3u, true);
}
#endif
#if defined(__gfx1100__) || defined(__gfx1201__)
KERNEL dots(int* y, const int* a, const int* b) {
  const unsigned i = item();
  y[i] = __builtin_amdgcn_sudot4(true, a[i], false, b[i], 1, false) + __builtin_amdgcn_sudot8(true, a[i], true, b[i], 2, true) +
         (int)__builtin_amdgcn_udot4((unsigned)a[i], (unsigned)b[i], 3u, true);
}
#endif
