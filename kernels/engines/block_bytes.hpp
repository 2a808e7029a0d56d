#pragma once
/// Where the bytes of a block of quantized elements come from: word(o, w) gives 4 of them from byte o + 4 w on, half(o)
/// and byte(o) 2 and 1.
#include "device/load_once.hpp"

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

  KG_DEVICE u32 byte(u32 o) const { return load_once(at + o); }
  KG_DEVICE u16 half(u32 o) const {
    if constexpr (alignment >= 2)
      return load_once(reinterpret_cast<const u16*>(at + o));
    else
      return static_cast<u16>(byte(o) | byte(o + 1) << 8);
  }
  KG_DEVICE u32 word(u32 o, u32 w = 0) const {
    if constexpr (alignment >= 4) {
      return load_once(reinterpret_cast<const u32*>(at + o) + w);
    } else if constexpr (loads_from_anywhere) {
      u32 word;
      __builtin_memcpy(&word, at + o + 4 * w, sizeof(word));
      return word;
    } else {
      return half(o + 4 * w) | static_cast<u32>(half(o + 4 * w + 2)) << 16;
    }
  }
};

/// Words in shared memory, of which a block begins `skipped` bytes behind the first, a multiple of
/// `alignment`, 1, 2 or 4.
template <int alignment>
struct BlockInWords {
  const u32* words;
  u32 skipped;

  KG_DEVICE BlockInWords(const u32* words, u32 skipped) : words(words), skipped(skipped) {}

  KG_DEVICE u32 word(u32 o, u32 w = 0) const {
    const u32 start = skipped + o;
    const u32* const at = words + start / 4;
    if constexpr (alignment >= 4)
      return at[w];
    else
      return funnel_right(at[w], at[w + 1], start % 4 * 8);
  }
  KG_DEVICE u16 half(u32 o) const {
    if constexpr (alignment >= 2)
      return *reinterpret_cast<const u16*>(reinterpret_cast<const u8*>(words) + skipped + o);
    else
      return static_cast<u16>(byte(o) | byte(o + 1) << 8);
  }
  KG_DEVICE u32 byte(u32 o) const { return (reinterpret_cast<const u8*>(words) + skipped)[o]; }
};

}  // namespace kg
