#pragma once
/// Where the bytes of a block of quantized elements come from: word(o), half(o) and byte(o) give 4, 2 and 1 of them from
/// byte o on.
#include "device/dialect.hpp"

namespace kg {

/// The 32 bits of low and high, which stand above it, from bit `shift` on, which is below 32.
KG_DEVICE u32 funnel_right(u32 low, u32 high, u32 shift) {
#if defined(__CUDA_ARCH__)
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<u32>((static_cast<u64>(high) << 32 | low) >> shift);
#endif
}

/// Memory aligned to `alignment` bytes, 1, 2 or 4. Devices that load words from anywhere do.
template <int alignment>
struct BlockInMemory {
  const u8* at;

  KG_DEVICE u32 byte(int o) const { return at[o]; }
  KG_DEVICE u16 half(int o) const {
    if constexpr (alignment >= 2)
      return *reinterpret_cast<const u16*>(at + o);
    else
      return static_cast<u16>(byte(o) | byte(o + 1) << 8);
  }
  KG_DEVICE u32 word(int o) const {
#if defined(__CUDACC__) && !defined(__HIP__)
    if (alignment == 4 && o % 4 == 0) return *reinterpret_cast<const u32*>(at + o);
    return half(o) | static_cast<u32>(half(o + 2)) << 16;
#else
    u32 word;
    __builtin_memcpy(&word, at + o, sizeof(word));
    return word;
#endif
  }
};

/// Words in shared memory, of which a block begins `skipped` bytes behind the first, a multiple of
/// `alignment`, 1, 2 or 4.
template <int alignment>
struct BlockInWords {
  const u32* words;
  u32 skipped;

  KG_DEVICE BlockInWords(const u32* words, u32 skipped) : words(words), skipped(skipped) {}

  KG_DEVICE u32 word(int o) const {
    // All that o adds is a whole number of words, so that words are shared by neighbouring calls.
    const u32 start = skipped + static_cast<u32>(o % 4);
    const u32* const at = words + start / 4 + o / 4;
    if (alignment == 4 && o % 4 == 0) return *at;
    return funnel_right(at[0], at[1], start % 4 * 8);
  }
  KG_DEVICE u16 half(int o) const {
    if constexpr (alignment >= 2)
      return *reinterpret_cast<const u16*>(reinterpret_cast<const u8*>(words) + skipped + o);
    else
      return static_cast<u16>(byte(o) | byte(o + 1) << 8);
  }
  KG_DEVICE u32 byte(int o) const { return (reinterpret_cast<const u8*>(words) + skipped)[o]; }
};

}  // namespace kg
