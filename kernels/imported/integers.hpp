#pragma once
/// Functions of integers: bits, products, bytes of words, and views of floats as integers.
#include "imported/keywords.hpp"

KG_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
KG_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
KG_DEVICE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
KG_DEVICE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
KG_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
KG_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
KG_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
KG_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
KG_DEVICE int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
KG_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
KG_DEVICE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
KG_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
KG_DEVICE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
KG_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
KG_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return static_cast<unsigned>(a > b ? a - b : b - a) + c;
}
KG_DEVICE int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
KG_DEVICE int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }

#define KG_BIT_FIELDS(bits, type)                                                                   \
  KG_DEVICE type __bitextract_u##bits(type x, unsigned offset, unsigned width) {                    \
    return width == 0 ? 0 : x << (bits - (offset % bits) - width) >> (bits - width);                \
  }                                                                                                 \
  KG_DEVICE type __bitinsert_u##bits(type x, type field, unsigned offset, unsigned width) {         \
    const type mask = (width >= bits ? ~static_cast<type>(0) : (static_cast<type>(1) << width) - 1) \
                      << offset % bits;                                                             \
    return (x & ~mask) | (field << offset % bits & mask);                                           \
  }
KG_BIT_FIELDS(32, unsigned)
KG_BIT_FIELDS(64, unsigned long long)
#undef KG_BIT_FIELDS

/// Bytes of the eight of b:a that each nibble of `selector` names.
KG_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const unsigned long long both = static_cast<unsigned long long>(b) << 32 | a;
  unsigned all = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> 4 * i;
    unsigned byte = static_cast<unsigned>(both >> 8 * (nibble & 7)) & 0xff;
    if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
    all |= byte << 8 * i;
  }
  return all;
}
KG_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31) >> 32);
}
KG_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}

#ifdef KERNELGEN_CUDA_FILE
/// c plus the sum of the products of four bytes.
KG_DEVICE int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i)
    c += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
  return c;
}
KG_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 0xff) * (b >> 8 * i & 0xff);
  return c;
}
namespace kernelgen_import {
/// `of` of the four bytes of each word.
template <class Byte, class Of>
KG_DEVICE unsigned by_bytes(unsigned a, unsigned b, Of of) {
  unsigned all = 0;
  for (int i = 0; i < 4; ++i)
    all |= static_cast<unsigned>(of(static_cast<Byte>(a >> 8 * i), static_cast<Byte>(b >> 8 * i)) & 0xff)
           << 8 * i;
  return all;
}
}  // namespace kernelgen_import
#define KG_BYTES(name, Byte, expression)                                                              \
  KG_DEVICE unsigned name(unsigned a, unsigned b) {                                                   \
    return kernelgen_import::by_bytes<Byte>(a, b, [](int x, int y) KG_INLINE { return expression; }); \
  }
KG_BYTES(__vadd4, signed char, x + y)
KG_BYTES(__vsub4, signed char, x - y)
KG_BYTES(__vsubss4, signed char, x - y > 127 ? 127 : x - y < -128 ? -128 : x - y)
KG_BYTES(__vaddss4, signed char, x + y > 127 ? 127 : x + y < -128 ? -128 : x + y)
KG_BYTES(__vcmpeq4, unsigned char, x == y ? 0xff : 0)
KG_BYTES(__vcmpne4, unsigned char, x != y ? 0xff : 0)
KG_BYTES(__vcmpgtu4, unsigned char, x > y ? 0xff : 0)
KG_BYTES(__vmaxs4, signed char, x > y ? x : y)
KG_BYTES(__vmins4, signed char, x < y ? x : y)
#undef KG_BYTES
#endif

#define KG_VIEW(name, To, From) \
  KG_BOTH To name(From x) { return __builtin_bit_cast(To, x); }
KG_VIEW(__float_as_int, int, float)
KG_VIEW(__float_as_uint, unsigned, float)
KG_VIEW(__int_as_float, float, int)
KG_VIEW(__uint_as_float, float, unsigned)
KG_VIEW(__double_as_longlong, long long, double)
KG_VIEW(__longlong_as_double, double, long long)
#undef KG_VIEW
KG_DEVICE int __float2int_rn(float x) { return static_cast<int>(__builtin_rintf(x)); }
KG_DEVICE int __float2int_rz(float x) { return static_cast<int>(x); }
KG_DEVICE int __float2int_rd(float x) { return static_cast<int>(__builtin_floorf(x)); }
KG_DEVICE int __float2int_ru(float x) { return static_cast<int>(__builtin_ceilf(x)); }
KG_DEVICE unsigned __float2uint_rn(float x) { return static_cast<unsigned>(__builtin_rintf(x)); }
KG_DEVICE unsigned __float2uint_rz(float x) { return static_cast<unsigned>(x); }
KG_DEVICE float __int2float_rn(int x) { return static_cast<float>(x); }
KG_DEVICE float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
KG_DEVICE float __double2float_rn(double x) { return static_cast<float>(x); }
