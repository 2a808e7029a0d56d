#pragma once

// Functions of two numbers: compiled for each AMD GPU and executed by the simulator, and compiled for the host, whose
// results are the definition. Nothing is fused that is not written so.
#define KERNELGEN_FUNCTIONS(F)                                                                         \
  F(add_f32, float, float, a + b)                                                                      \
  F(multiply_f32, float, float, a* b)                                                                  \
  F(divide_f32, float, float, a / b)                                                                   \
  F(fma_f32, float, float, __builtin_fmaf(a, b, a))                                                    \
  F(root_f32, float, float, __builtin_sqrtf(a))                                                        \
  F(floor_f32, float, float, __builtin_floorf(a))                                                      \
  F(rint_f32, float, float, __builtin_rintf(a))                                                        \
  F(trunc_f32, float, float, __builtin_truncf(a))                                                      \
  F(less_f32, float, int, a < b ? 1 : 2)                                                               \
  F(unordered_f32, float, int, __builtin_isunordered(a, b) ? 1 : 2)                                    \
  F(to_half, float, unsigned short, __builtin_bit_cast(unsigned short, (_Float16)a))                   \
  F(to_double, float, double, (double)a - (double)b)                                                   \
  F(add_f64, double, double, a + b)                                                                    \
  F(multiply_f64, double, double, a* b)                                                                \
  F(divide_f64, double, double, a / b)                                                                 \
  F(fma_f64, double, double, __builtin_fma(a, b, b))                                                   \
  F(root_f64, double, double, __builtin_sqrt(a))                                                       \
  F(floor_f64, double, double, __builtin_floor(a))                                                     \
  F(narrow_f64, double, float, (float)a)                                                               \
  F(add_f16, _Float16, _Float16, (_Float16)(a + b))                                                    \
  F(multiply_f16, _Float16, _Float16, (_Float16)(a * b))                                               \
  F(divide_f16, _Float16, _Float16, (_Float16)(a / b))                                                 \
  F(widen_f16, _Float16, float, (float)a)                                                              \
  F(add_i32, int, int, (int)((unsigned)a + (unsigned)b))                                               \
  F(multiply_i32, int, int, (int)((unsigned)a * (unsigned)b))                                          \
  F(divide_i32, int, int, (int)(a / ((b | 1) == -1 ? 3 : (b | 1))))                                    \
  F(remainder_u32, unsigned, unsigned, a % (b | 1))                                                    \
  F(high_u32, unsigned, unsigned, (unsigned)((unsigned long long)a * b >> 32))                         \
  F(shift_i32, int, int, (a >> (b & 31)) ^ (int)((unsigned)b << (a & 31)))                             \
  F(count_bits, unsigned, int,                                                                         \
    __builtin_popcount(a) + __builtin_clz(a | 1) + __builtin_ctz(b | 0x80000000u))                     \
  F(reverse, unsigned, unsigned, __builtin_bswap32(a) ^ ((b << 7) | (b >> 25)))                        \
  F(least_i32, int, int, (a < b ? a : b) - (a > 7 ? 7 : a < -7 ? -7 : a))                              \
  F(add_i64, long long, long long, (long long)((unsigned long long)a + (unsigned long long)b))         \
  F(multiply_i64, long long, long long, (long long)((unsigned long long)a * (unsigned long long)b))    \
  F(divide_i64, long long, long long, a / ((b | 1) == -1 ? 3 : (b | 1)))                               \
  F(shift_i64, long long, long long, (a >> (b & 63)) ^ (long long)((unsigned long long)b << (a & 63))) \
  F(less_i64, long long, int, a < b ? 3 : 4)                                                           \
  F(i64_to_f32, long long, float, (float)a)                                                            \
  F(u64_to_f64, unsigned long long, double, (double)a)                                                 \
  F(i32_to_f32, int, float, (float)a + (float)(unsigned char)b)                                        \
  F(add_i16, short, short, (short)(a + b))                                                             \
  F(mixed_i16, unsigned short, unsigned short, (unsigned short)((a * b) >> 3 ^ (a > b ? a : b)))       \
  F(mixed_i8, signed char, signed char, (signed char)(a * b + (a >> 2) - (b < 0 ? 1 : a)))
