#pragma once
/// Several elements moved by one instruction.
#include "device/dialect.hpp"
#include "plan/abi.hpp"

namespace kg {

template <bool is_wide>
struct PackWord {
  using type = u32;
};
template <>
struct PackWord<true> {
  using type = u64;
};

/// W contiguous elements, held as 32-bit words (64-bit words for 64-bit elements). Elements are extracted by
/// shifts: an array of elements accessed as wider words would be kept in memory instead of registers.
template <class T, int W>
struct Pack {
  static constexpr int bytes = sizeof(T) * W;
  using Word = typename PackWord<sizeof(T) == 8>::type;
  static constexpr int word_bytes = sizeof(Word);
  static constexpr int words = (bytes + word_bytes - 1) / word_bytes;
  /// Alignment of one access; packs of more than 16 bytes use several 16-byte accesses.
  static constexpr int alignment = bytes < 16 ? bytes : 16;

  Word word[words];

  KG_DEVICE T get(int e) const {
    if constexpr (sizeof(T) >= 4)
      return bit_cast<T>(word[e]);
    else if constexpr (sizeof(T) == 2)
      return bit_cast<T>(static_cast<u16>(word[e / 2] >> e % 2 * 16));
    else
      return bit_cast<T>(static_cast<u8>(word[e / 4] >> e % 4 * 8));
  }

  /// Call once per element of a zero-initialized pack.
  KG_DEVICE void set(int e, T value) {
    if constexpr (sizeof(T) >= 4) {
      word[e] = bit_cast<Word>(value);
    } else if constexpr (sizeof(T) == 2) {
      word[e / 2] |= static_cast<u32>(bit_cast<u16>(value)) << e % 2 * 16;
    } else {
      word[e / 4] |= static_cast<u32>(bit_cast<u8>(value)) << e % 4 * 8;
    }
  }
};

template <int W, class T>
KG_DEVICE bool is_aligned(const T* p) {
  return (reinterpret_cast<u64>(p) & (Pack<T, W>::alignment - 1)) == 0;
}

/// Bytes from `p` to the next multiple of `alignment`, a power of two; 0 if `p` is one.
template <u32 alignment>
KG_DEVICE u32 bytes_to_alignment(const void* p) {
  return static_cast<u32>(-reinterpret_cast<u64>(p) % alignment);
}
/// Elements from `p` to the first that a pack of W may begin at.
template <int W, class T>
KG_DEVICE u32 elements_to_alignment(const T* p) {
  return bytes_to_alignment<Pack<T, W>::alignment>(p) / sizeof(T);
}

/// `p` must be aligned for the pack.
template <int W, class T>
KG_DEVICE Pack<T, W> load_pack(const T* p) {
  Pack<T, W> pack;
  constexpr int bytes = Pack<T, W>::bytes;
  if constexpr (bytes >= 16) {
    KG_UNROLL for (int i = 0; i < bytes / 16; ++i) {
      const Quad quad = reinterpret_cast<const Quad*>(p)[i];
      if constexpr (sizeof(T) == 8) {
        pack.word[2 * i] = static_cast<u64>(quad.x) | static_cast<u64>(quad.y) << 32;
        pack.word[2 * i + 1] = static_cast<u64>(quad.z) | static_cast<u64>(quad.w) << 32;
      } else {
        pack.word[4 * i] = quad.x;
        pack.word[4 * i + 1] = quad.y;
        pack.word[4 * i + 2] = quad.z;
        pack.word[4 * i + 3] = quad.w;
      }
    }
  } else if constexpr (bytes == 8) {
    const u64 pair = *reinterpret_cast<const u64*>(p);
    if constexpr (sizeof(T) == 8) {
      pack.word[0] = pair;
    } else {
      pack.word[0] = static_cast<u32>(pair);
      pack.word[1] = static_cast<u32>(pair >> 32);
    }
  } else if constexpr (bytes == 4) {
    pack.word[0] = *reinterpret_cast<const u32*>(p);
  } else if constexpr (bytes == 2) {
    pack.word[0] = *reinterpret_cast<const u16*>(p);
  } else {
    pack.word[0] = *reinterpret_cast<const u8*>(p);
  }
  return pack;
}

/// load_pack from any address, for targets with unaligned word loads.
template <int W, class T>
KG_DEVICE Pack<T, W> load_pack_unaligned(const T* p) {
  Pack<T, W> pack{};
  __builtin_memcpy(pack.word, p, Pack<T, W>::bytes);
  return pack;
}

/// load_pack of an element's alignment by aligned accesses, which may read bytes before and after the pack: those of the accesses
/// that its first and last element are in.
template <int W, class T>
KG_DEVICE Pack<T, W> load_pack_overreading(const T* p) {
  using Whole = Pack<T, W>;
  if constexpr (has_unaligned_loads) {
    return load_pack_unaligned<W>(p);
  } else if constexpr (Whole::bytes < Whole::word_bytes) {
    Whole pack{};
    KG_UNROLL for (int e = 0; e < W; ++e) pack.set(e, p[e]);
    return pack;
  } else {
    using Word = typename Whole::Word;
    constexpr int each = Whole::alignment / Whole::word_bytes, words = Whole::words;
    constexpr u64 inside = Whole::alignment - 1;
    Word word[words + each];
    KG_UNROLL for (int first = 0; first <= words; first += each) {
      constexpr int elements = Whole::alignment / static_cast<int>(sizeof(T));
      const T* const element = p + (first < words ? first / each * elements : W - 1);
      const auto access =
          load_pack<elements>(reinterpret_cast<const T*>(reinterpret_cast<u64>(element) & ~inside));
      KG_UNROLL for (int i = 0; i < each; ++i) word[first + i] = access.word[i];
    }
    const u32 skipped = static_cast<u32>(reinterpret_cast<u64>(p) & inside);
    KG_UNROLL for (int step = each / 2; step > 0; step /= 2) {
      const bool moves = (skipped / Whole::word_bytes & static_cast<u32>(step)) != 0;
      KG_UNROLL for (int i = 0; i + step < words + each; ++i) word[i] = moves ? word[i + step] : word[i];
    }
    Whole pack;
    KG_UNROLL for (int i = 0; i < words; ++i) {
      pack.word[i] = word[i];
      if constexpr (sizeof(T) < sizeof(Word))
        pack.word[i] =
            static_cast<u32>((static_cast<u64>(word[i + 1]) << 32 | word[i]) >> skipped % sizeof(Word) * 8);
    }
    return pack;
  }
}

/// load_pack of an element's alignment, in accesses of up to 4 bytes where targets have no unaligned word loads.
template <int W, class T>
KG_DEVICE Pack<T, W> load_pack_split(const T* p) {
  if constexpr (W > 1 && has_unaligned_loads) {
    return load_pack_unaligned<W>(p);
  } else {
    Pack<T, W> pack{};
    if constexpr (sizeof(T) == 2 && W >= 4) {
      // Words from the first even element on; the two elements that are left begin and end the pack, or end it.
      const bool is_odd = reinterpret_cast<u64>(p) % 4 != 0;
      const u32* const words = reinterpret_cast<const u32*>(p + is_odd);
      u32 word[W / 2 - 1];
      KG_UNROLL for (int i = 0; i < W / 2 - 1; ++i) word[i] = words[i];
      const u32 left = bit_cast<u16>(p[is_odd ? 0 : W - 2]), last = u32{bit_cast<u16>(p[W - 1])} << 16;
      u32 before = left << 16;
      KG_UNROLL for (int i = 0; i < W / 2 - 1; ++i) {
        pack.word[i] = is_odd ? before >> 16 | word[i] << 16 : word[i];
        before = word[i];
      }
      pack.word[W / 2 - 1] = (is_odd ? before >> 16 : left) | last;
    } else {
      KG_UNROLL for (int e = 0; e < W; ++e) pack.set(e, p[e]);
    }
    return pack;
  }
}

template <int W, class T>
KG_DEVICE void store_pack(T* p, const Pack<T, W>& pack) {
  constexpr int bytes = Pack<T, W>::bytes;
  if constexpr (bytes >= 16) {
    KG_UNROLL for (int i = 0; i < bytes / 16; ++i) {
      if constexpr (sizeof(T) == 8) {
        const u64 low = pack.word[2 * i], high = pack.word[2 * i + 1];
        const Quad quad = {static_cast<u32>(low), static_cast<u32>(low >> 32), static_cast<u32>(high),
                           static_cast<u32>(high >> 32)};
        reinterpret_cast<Quad*>(p)[i] = quad;
      } else {
        const Quad quad = {pack.word[4 * i], pack.word[4 * i + 1], pack.word[4 * i + 2],
                           pack.word[4 * i + 3]};
        reinterpret_cast<Quad*>(p)[i] = quad;
      }
    }
  } else if constexpr (bytes == 8) {
    if constexpr (sizeof(T) == 8)
      *reinterpret_cast<u64*>(p) = pack.word[0];
    else
      *reinterpret_cast<u64*>(p) = native::pair(pack.word[0], pack.word[1]);
  } else if constexpr (bytes == 4) {
    *reinterpret_cast<u32*>(p) = pack.word[0];
  } else if constexpr (bytes == 2) {
    *reinterpret_cast<u16*>(p) = static_cast<u16>(pack.word[0]);
  } else {
    *reinterpret_cast<u8*>(p) = static_cast<u8>(pack.word[0]);
  }
}

/// Elements that a thread processes at a time for operands of these types.
template <class... T>
KG_DEVICE constexpr int pack_width() {
  constexpr int sizes[] = {static_cast<int>(sizeof(T))...};
  return pack_elements(sizes, sizeof...(T), one_access_per_pack);
}

}  // namespace kg
