#pragma once
/// Access to the bytes of a quantized block: word(o, w) loads 4 bytes from byte o + 4 w on, half(o) loads 2,
/// byte(o) loads 1.
#include "device/dot.hpp"
#include "device/streaming_load.hpp"

namespace kg {

/// A block in global memory aligned to `alignment` bytes: 1, 2 or 4. Targets with unaligned word loads use
/// them.
template <int alignment>
struct BlockInMemory {
  const u8* at;

  KG_DEVICE u32 byte(u32 o) const { return streaming_load(at + o); }
  KG_DEVICE u16 half(u32 o) const {
    if constexpr (alignment >= 2)
      return streaming_load(reinterpret_cast<const u16*>(at + o));
    else
      return static_cast<u16>(byte(o) | byte(o + 1) << 8);
  }
  KG_DEVICE u32 word(u32 o, u32 w = 0) const {
    if constexpr (alignment >= 4) {
      return streaming_load(reinterpret_cast<const u32*>(at + o) + w);
    } else if constexpr (has_unaligned_loads) {
      u32 word;
      __builtin_memcpy(&word, at + o + 4 * w, sizeof(word));
      return word;
    } else {
      return half(o + 4 * w) | static_cast<u32>(half(o + 4 * w + 2)) << 16;
    }
  }
};

/// A block in shared memory that begins `skipped` bytes after the first word. `skipped` is a multiple of
/// `alignment`: 1, 2 or 4.
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
