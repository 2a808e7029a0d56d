#pragma once
/// Dot products of four signed bytes, byte lookups and funnel shifts, as single instructions where the target
/// has them.
#include "device/dialect.hpp"

namespace kg {

#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx940__) ||         \
    defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__) || defined(__gfx9_4_generic__) || \
    defined(__gfx1011__) || defined(__gfx1012__) || defined(__gfx1030__) || defined(__gfx1031__) ||     \
    defined(__gfx1032__) || defined(__gfx1033__) || defined(__gfx1034__) || defined(__gfx1035__) ||     \
    defined(__gfx1036__) || defined(__gfx10_3_generic__)
#define KG_SDOT4
#elif defined(__GFX11__) || defined(__GFX12__)
#define KG_SUDOT4
#endif

/// sum + a · b over the words' four signed bytes.
KG_DEVICE i32 dot4(u32 a, u32 b, i32 sum) {
#if defined(KG_SDOT4)
  return __builtin_amdgcn_sdot4(static_cast<i32>(a), static_cast<i32>(b), sum, false);
#elif defined(KG_SUDOT4)
  return __builtin_amdgcn_sudot4(true, static_cast<i32>(a), true, static_cast<i32>(b), sum, false);
#elif defined(__CUDA_ARCH__)
  return __dp4a(static_cast<i32>(a), static_cast<i32>(b), sum);
#else
  for (int i = 0; i < 4; ++i)
    sum += static_cast<i32>(static_cast<i8>(a >> 8 * i)) * static_cast<i32>(static_cast<i8>(b >> 8 * i));
  return sum;
#endif
}

/// Looks up four bytes (each below 16) in a 16-entry byte table. The table is stored as words, first entry in
/// the lowest byte.
KG_DEVICE u32 look_up_bytes(const u32 (&table)[4], u32 choice) {
#if defined(__AMDGCN__)
  const u32 low = choice & 0x07070707u;
  const u32 first = __builtin_amdgcn_perm(table[1], table[0], low),
            second = __builtin_amdgcn_perm(table[3], table[2], low);
  const u32 upper = (choice >> 3 & 0x01010101u) * 0xffu;
  return (first & ~upper) | (second & upper);
#elif defined(__CUDA_ARCH__)
  u32 low = choice & 0x07070707u;
  low = (low | low >> 4) & 0x00ff00ffu;
  low = low | low >> 8;
  const u32 first = __byte_perm(table[0], table[1], low), second = __byte_perm(table[2], table[3], low);
  const u32 upper = (choice >> 3 & 0x01010101u) * 0xffu;
  return (first & ~upper) | (second & upper);
#else
  u32 chosen = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 c = choice >> 8 * i & 15u;
    chosen |= (table[c / 4] >> c % 4 * 8 & 0xffu) << 8 * i;
  }
  return chosen;
#endif
}

/// Bits shift to shift + 31 of high:low. `shift` must be below 32.
KG_DEVICE u32 funnel_right(u32 low, u32 high, u32 shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<u32>((static_cast<u64>(high) << 32 | low) >> shift);
#endif
}

}  // namespace kg
