#pragma once
/// The matrix instructions of AMD GPUs, computed by a wave's threads: layouts as the AMD matrix instruction calculator prints
/// them, terms added one by one in f32. gfx90a's of 16 bits take subnormal elements and sums for zeros.
#include "device/narrow.hpp"

namespace simulated {

using namespace kg;

typedef float Sums4 __attribute__((ext_vector_type(4)));
typedef float Sums8 __attribute__((ext_vector_type(8)));
typedef double DoubleSums4 __attribute__((ext_vector_type(4)));

#if defined(__gfx90a__)
inline constexpr bool flushes = true;
#else
inline constexpr bool flushes = false;
#endif

template <class X>
X flushed(X x, X least_normal) {
  return flushes && std::fabs(x) < least_normal ? 0 * x : x;
}
inline float element(_Float16 x) { return flushed(static_cast<float>(x), 0x1p-14f); }
inline float element(short x) { return flushed(widen(bf16{static_cast<u16>(x)}), 0x1p-126f); }
inline float element(unsigned char x) { return widen(f8e4m3{x}); }

/// Both sides of what a lane gives.
template <class Side>
struct Sides {
  Side left, right;
};

/// 16 x 16 x 16, four terms a lane: those of row or column lane % 16 from 4 · (lane / 16) on; sums down a column.
template <class Side>
Sums4 mfma_of_16_bits(Side left, Side right, Sums4 sums) {
  block.gather(Sides<Side>{left, right});
  const u32 lane = block.lane();
  for (u32 from = 0; from < 64; from += 16) {
    const Side column = block.given_by<Sides<Side>>(from + lane % 16).right;
    for (u32 e = 0; e < 4; ++e) {
      const Side row = block.given_by<Sides<Side>>(from + lane / 16 * 4 + e).left;
      for (u32 t = 0; t < 4; ++t) sums[e] = std::fma(element(row[t]), element(column[t]), sums[e]);
    }
  }
  for (u32 e = 0; e < 4; ++e) sums[e] = flushed(sums[e], 0x1p-126f);
  block.sync_wave();
  return sums;
}

/// 16 x 16 x 4, one term a lane; f64's sums are four rows apart.
template <class S, class Sums>
Sums mfma_of_one_term(S left, S right, Sums sums) {
  block.gather(Sides<S>{left, right});
  const u32 lane = block.lane();
  for (u32 e = 0; e < 4; ++e) {
    const u32 row = sizeof(S) == 8 ? lane / 16 + 4 * e : lane / 16 * 4 + e;
    for (u32 t = 0; t < 4; ++t)
      sums[e] = std::fma(block.given_by<Sides<S>>(t * 16 + row).left,
                         block.given_by<Sides<S>>(t * 16 + lane % 16).right, sums[e]);
  }
  block.sync_wave();
  return sums;
}

/// 16 x 16 x 16. Where a lane has 16 terms both halves of the wave have the same, and the sums of every other row; where it
/// has eight the halves have a half of the terms and of the rows each.
template <u32 terms, class Element, class Side>
Sums8 wmma(Side left, Side right, Sums8 sums) {
  struct Terms {
    Element of[terms];
  };
  using Given = Sides<Terms>;
  block.gather(Given{bit_cast<Terms>(left), bit_cast<Terms>(right)});
  const u32 lane = block.lane();
  for (u32 from = 0; from < 256 / terms; from += 16) {
    const Terms column = block.given_by<Given>(from + lane % 16).right;
    for (u32 e = 0; e < 8; ++e) {
      const u32 of = terms == 16 ? lane / 16 + 2 * e : lane / 16 * 8 + e;
      const Terms row = block.given_by<Given>(from + of).left;
      for (u32 t = 0; t < terms; ++t) sums[e] = std::fma(element(row.of[t]), element(column.of[t]), sums[e]);
    }
  }
  block.sync_wave();
  return sums;
}

/// The word of the lane of the same place in the wave's other half.
inline u32 other_half(u32 word) { return block.exchange(word, block.lane() ^ 16); }

/// Byte i is byte `selector` i of low and high, 12 none.
inline u32 permuted(u32 high, u32 low, u32 selector) {
  u32 word = 0;
  for (u32 i = 0; i < 32; i += 8) {
    const u32 byte = selector >> i & 0xff;
    word |= (byte < 8 ? static_cast<u32>((u64{high} << 32 | low) >> byte * 8 & 0xff) : 0) << i;
  }
  return word;
}

}  // namespace simulated

#define __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, ...) simulated::mfma_of_16_bits(a, b, c)
#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, ...) simulated::mfma_of_16_bits(a, b, c)
#define __builtin_amdgcn_mfma_f32_16x16x4f32(a, b, c, ...) simulated::mfma_of_one_term(a, b, c)
#define __builtin_amdgcn_mfma_f64_16x16x4f64(a, b, c, ...) simulated::mfma_of_one_term(a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(a, b, c) simulated::wmma<16, _Float16>(a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32(a, b, c) simulated::wmma<16, short>(a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12(a, b, c) simulated::wmma<8, _Float16>(a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12(a, b, c) simulated::wmma<8, short>(a, b, c)
#define __builtin_amdgcn_wmma_f32_16x16x16_fp8_fp8_w32_gfx12(a, b, c) \
  simulated::wmma<8, unsigned char>(a, b, c)
#define __builtin_amdgcn_permlanex16(old, word, ...) simulated::other_half(word)
#define __builtin_amdgcn_perm(high, low, selector) simulated::permuted(high, low, selector)
