// Each number type from each other one.
#include "common.hpp"

#define FROM_TO(A, TA, B, TB)                              \
  KERNEL convert_##A##_to_##B(TB* y, const TA* x) { y[item()] = (TB)x[item()]; }
#define FROM(A, TA)                                                                                            \
  FROM_TO(A, TA, i8, signed char) FROM_TO(A, TA, u8, uchar) FROM_TO(A, TA, i16, short) FROM_TO(A, TA, u16, ushort) \
  FROM_TO(A, TA, i32, int) FROM_TO(A, TA, u32, unsigned) FROM_TO(A, TA, i64, long long) FROM_TO(A, TA, u64, ulong) \
  FROM_TO(A, TA, f16, _Float16) FROM_TO(A, TA, f32, float) FROM_TO(A, TA, f64, double)
FROM(i8, signed char) FROM(u8, uchar) FROM(i16, short) FROM(u16, ushort) FROM(i32, int) FROM(u32, unsigned)
FROM(i64, long long) FROM(u64, ulong) FROM(f16, _Float16) FROM(f32, float) FROM(f64, double)
FROM_TO(f32, float, bf16, __bf16) FROM_TO(bf16, __bf16, f32, float) FROM_TO(f64, double, bf16, __bf16)

KERNEL convert_packed(unsigned* y, const float* x, const unsigned* u) {
  const unsigned i = item();
  const float a = x[2 * i], b = x[2 * i + 1];
  unsigned r = __builtin_bit_cast(unsigned, __builtin_amdgcn_cvt_pkrtz(a, b));
  r += __builtin_bit_cast(unsigned, __builtin_amdgcn_cvt_pknorm_i16(a, b)) + __builtin_bit_cast(unsigned, __builtin_amdgcn_cvt_pknorm_u16(a, b));
  r += __builtin_bit_cast(unsigned, __builtin_amdgcn_cvt_pk_i16((int)u[i], 5)) + __builtin_bit_cast(unsigned, __builtin_amdgcn_cvt_pk_u16(u[i], 7));
  r += __builtin_amdgcn_cvt_pk_u8_f32(a, 2, r) + (unsigned)(float)(uchar)(u[i] >> 16);
  y[i] = r;
}
#if defined(__gfx942__) || defined(__gfx1201__)
KERNEL convert_float8(int* y, const float* x, float* z) {
  const unsigned i = item();
  int r = __builtin_amdgcn_cvt_pk_fp8_f32(x[2 * i], x[2 * i + 1], 0, false);
  r = __builtin_amdgcn_cvt_pk_bf8_f32(x[2 * i], x[2 * i + 1], r, true);
  r = __builtin_amdgcn_cvt_sr_fp8_f32(x[i], r, r, 2);
  y[i] = __builtin_amdgcn_cvt_sr_bf8_f32(x[i], r, r, 3);
  z[i] = __builtin_amdgcn_cvt_f32_fp8(r, 1) + __builtin_amdgcn_cvt_f32_bf8(r, 2) + __builtin_amdgcn_cvt_pk_f32_fp8(r, true)[0];
}
#endif
