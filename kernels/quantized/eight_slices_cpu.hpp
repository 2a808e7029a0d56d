#pragma once
/// Unpacks eight slices of a row at a time on CPUs, of one block of 256 elements to eight blocks of 32, starting
/// at `at`.
///
///   BlockEight<W>::bytes(at, part, half)   half[h] receives bytes q (see BlockFormat) of half h of four
///                                          slices: the first four if part is 0, else the last four
///   BlockEight<W>::scale(at, half)         the eight slices' scales of that half
///   BlockEight<W>::offset(at, half)        and offsets, if the format has them
#include "quantized/block_format.hpp"

namespace kg {

namespace detail {

using Bytes64 = u8 __attribute__((vector_size(64)));
using SignedBytes64 = i8 __attribute__((vector_size(64)));
using Words16 = u32 __attribute__((vector_size(64)));
using Floats16 = f32 __attribute__((vector_size(64)));
using Words4 = u32 __attribute__((vector_size(16)));
using Shorts8 = i16 __attribute__((vector_size(16)));
using Ints8 = i32 __attribute__((vector_size(32)));
using Floats8 = f32 __attribute__((vector_size(32)));

template <class V>
KG_DEVICE V load_as(const void* at) {
  V v;
  __builtin_memcpy(&v, at, sizeof(v));
  return v;
}

/// Four runs of 16 bytes, `step` bytes apart.
KG_DEVICE Words16 four_runs(const u8* at, u64 step) {
  const auto low =
      __builtin_shufflevector(load_as<Words4>(at), load_as<Words4>(at + step), 0, 1, 2, 3, 4, 5, 6, 7);
  const auto high = __builtin_shufflevector(load_as<Words4>(at + 2 * step), load_as<Words4>(at + 3 * step), 0,
                                            1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/// Broadcasts each of a part's four values to all words of its slice.
template <class V>
KG_DEVICE auto in_words(V x, u32 part) {
  return part == 0 ? __builtin_shufflevector(x, x, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3)
                   : __builtin_shufflevector(x, x, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7);
}

/// 16 bytes repeated for each slice.
KG_DEVICE Words16 repeated(const u8* at) {
  const auto x = load_as<Words4>(at);
  return __builtin_shufflevector(x, x, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
}

/// Selects four 16-byte runs of x by index.
template <int a, int b, int c, int d>
KG_DEVICE Words16 runs(Words16 x) {
  return __builtin_shufflevector(x, x, 4 * a, 4 * a + 1, 4 * a + 2, 4 * a + 3, 4 * b, 4 * b + 1, 4 * b + 2,
                                 4 * b + 3, 4 * c, 4 * c + 1, 4 * c + 2, 4 * c + 3, 4 * d, 4 * d + 1,
                                 4 * d + 2, 4 * d + 3);
}

/// Shifts the words of slice l right by first + l · step bits.
KG_DEVICE Words16 shifted(Words16 x, u32 first, u32 step) {
  constexpr Words16 slice = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
  return x >> (slice * step + first);
}

/// f16 values of eight blocks, `step` bytes apart.
KG_DEVICE Floats8 eight_halves(const u8* at, u64 step) {
  using Halves8 = _Float16 __attribute__((vector_size(16)));
  Halves8 x;
  KG_UNROLL for (u32 i = 0; i < 8; ++i) x[i] = load_as<_Float16>(at + i * step);
  return __builtin_convertvector(x, Floats8);
}

/// x in all eight elements.
KG_DEVICE Floats8 eight_times(f32 x) { return Floats8{x, x, x, x, x, x, x, x}; }

/// The f16 at `at` in all eight elements.
KG_DEVICE Floats8 one_half(const u8* at) { return eight_times(static_cast<f32>(load_as<_Float16>(at))); }

/// Eight bytes as floats.
KG_DEVICE Floats8 eight_bytes(u64 bytes) {
  using Bytes8 = u8 __attribute__((vector_size(8)));
  return __builtin_convertvector(bit_cast<Bytes8>(bytes), Floats8);
}

/// The low or high signed bytes of eight pairs, as floats.
KG_DEVICE Floats8 of_half(Shorts8 pairs, u32 half) {
  const auto x = __builtin_convertvector(pairs, Ints8);
  return __builtin_convertvector(half ? x >> 8 : x << 24 >> 24, Floats8);
}

/// Looks up bytes below 16 in a 16-entry table.
KG_DEVICE Words16 look_up(const i8 (&table)[16], Words16 choice) {
  const Words16 entries = repeated(reinterpret_cast<const u8*>(table));
#if defined(__AVX512BW__)
  using Chars = char __attribute__((vector_size(64)));
  return bit_cast<Words16>(__builtin_ia32_pshufb512(bit_cast<Chars>(entries), bit_cast<Chars>(choice)));
#elif defined(__AVX2__)
  using Chars = char __attribute__((vector_size(32)));
  struct Two {
    Chars part[2];
  };
  const auto from = bit_cast<Two>(entries), at = bit_cast<Two>(choice);
  return bit_cast<Words16>(Two{{__builtin_ia32_pshufb256(from.part[0], at.part[0]),
                                __builtin_ia32_pshufb256(from.part[1], at.part[1])}});
#else
  const auto from = bit_cast<Bytes64>(entries), at = bit_cast<Bytes64>(choice);
  Bytes64 chosen;
  for (int i = 0; i < 64; ++i) chosen[i] = from[at[i]];
  return bit_cast<Words16>(chosen);
#endif
}

/// Blocks of one slice: an f16 first, nibbles from byte `first` on.
template <class W, u32 first>
struct Nibbles {
  static KG_DEVICE void bytes(const u8* at, u32 part, Words16 (&half)[2]) {
    const Words16 both = four_runs(at + first + 4 * part * sizeof(W), sizeof(W));
    half[0] = both & 0x0f0f0f0fu;
    half[1] = both >> 4 & 0x0f0f0f0fu;
  }
  static KG_DEVICE Floats8 scale(const u8* at, u32) { return eight_halves(at, sizeof(W)); }
  static KG_DEVICE Floats8 offset(const u8* at, u32) { return eight_halves(at + 2, sizeof(W)); }
};

/// Nibbles with the fifth bits directly before them.
template <class W, u32 first>
struct FiveBits : Nibbles<W, first> {
  static KG_DEVICE void bytes(const u8* at, u32 part, Words16 (&half)[2]) {
    Nibbles<W, first>::bytes(at, part, half);
    const u8* const high = at + first - 4 + 4 * part * sizeof(W);
    const u32 bit[4] = {load_as<u32>(high), load_as<u32>(high + sizeof(W)),
                        load_as<u32>(high + 2 * sizeof(W)), load_as<u32>(high + 3 * sizeof(W))};
    Words16 bits;
    KG_UNROLL for (u32 i = 0; i < 16; ++i) bits[i] = bit[i / 4];
    constexpr Words16 word = {0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12, 0, 4, 8, 12};
    KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] |=
        (bits >> (word + 16 * h) & 15u) * 0x02040810u & 0x10101010u;
  }
};

/// Blocks of one slice: an f16 first, bytes from byte `first` on.
template <class W, u32 first>
struct WholeBytes {
  static KG_DEVICE void bytes(const u8* at, u32 part, Words16 (&half)[2]) {
    KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] =
        four_runs(at + first + 16 * h + 4 * part * sizeof(W), sizeof(W));
  }
  static KG_DEVICE Floats8 scale(const u8* at, u32) { return eight_halves(at, sizeof(W)); }
};

/// The 2-bit fields of 128 elements.
KG_DEVICE void two_bits(const u8* at, Words16 (&half)[2]) {
  KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] = shifted(repeated(at + 16 * h), 0, 2) & 0x03030303u;
}

/// The nibbles of four slices in 64 bytes, two slices per 32 bytes.
KG_DEVICE void nibbles_by_slices(const u8* at, Words16 (&half)[2]) {
  constexpr Words16 shift = {0, 0, 0, 0, 4, 4, 4, 4, 0, 0, 0, 0, 4, 4, 4, 4};
  const auto both = load_as<Words16>(at);
  half[0] = runs<0, 0, 2, 2>(both) >> shift & 0x0f0f0f0fu;
  half[1] = runs<1, 1, 3, 3>(both) >> shift & 0x0f0f0f0fu;
}

/// The scales and offsets of q4_K and q5_K.
struct SixBits {
  static KG_DEVICE Floats8 scale(const u8* at, u32) {
    const u32 whole = load_as<u32>(at + 4), parts = load_as<u32>(at + 12) & 0x0f0f0f0fu;
    return one_half(at) * eight_bytes(all(whole, parts));
  }
  static KG_DEVICE Floats8 offset(const u8* at, u32) {
    const u32 whole = load_as<u32>(at + 8), parts = load_as<u32>(at + 12) >> 4 & 0x0f0f0f0fu;
    return -(one_half(at + 2) * eight_bytes(all(whole, parts)));
  }

 private:
  static KG_DEVICE u64 all(u32 whole, u32 parts) {
    return static_cast<u64>(parts | (whole >> 2 & 0x30303030u)) << 32 | (whole & 0x3f3f3f3fu);
  }
};

/// Any format without offsets, by BlockFormat.
template <class W>
struct WordByWord {
  static KG_DEVICE void bytes(const u8* at, u32 part, Words16 (&half)[2]) {
    for (u32 s = 4 * part; s < 4 * part + 4; ++s)
      KG_UNROLL for (u32 w = 0; w < slice_words; ++w) half[w / 4][s % 4 * 4 + w % 4] =
          F::word(block(at, s), s % F::slices, w);
  }
  static KG_DEVICE Floats8 scale(const u8* at, u32 half) {
    Floats8 scale;
    KG_UNROLL for (u32 s = 0; s < 8; ++s) scale[s] = F::scale(block(at, s), s % F::slices, half);
    return scale;
  }

 private:
  using F = BlockFormat<W>;
  static_assert(!F::has_offset);
  static KG_DEVICE BlockInMemory<1> block(const u8* at, u32 slice) {
    return {at + slice / F::slices * sizeof(W)};
  }
};

/// Codes of iq4_nl as values.
KG_DEVICE void look_up_iq4(Words16 (&half)[2]) {
  constexpr static i8 values[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] = look_up(values, half[h]);
}

}  // namespace detail

/// Formats without a specialization are unpacked word by word, as on GPUs. A format with offsets needs one.
template <class W>
struct BlockEight : detail::WordByWord<W> {};

template <>
struct BlockEight<q4_0> : detail::Nibbles<q4_0, 2> {};
template <>
struct BlockEight<q4_1> : detail::Nibbles<q4_1, 4> {};
template <>
struct BlockEight<q5_0> : detail::FiveBits<q5_0, 6> {};
template <>
struct BlockEight<q5_1> : detail::FiveBits<q5_1, 8> {};
template <>
struct BlockEight<q8_0> : detail::WholeBytes<q8_0, 2> {};
template <>
struct BlockEight<q8_1> : detail::WholeBytes<q8_1, 4> {};

template <>
struct BlockEight<q2_K> {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    detail::two_bits(at + 16 + 32 * part, half);
  }
  static KG_DEVICE detail::Floats8 scale(const u8* at, u32 half) {
    return detail::one_half(at + 80) * detail::of_half(detail::load_as<detail::Shorts8>(at) & 0x0f0f, half);
  }
  static KG_DEVICE detail::Floats8 offset(const u8* at, u32 half) {
    const auto pairs = detail::load_as<detail::Shorts8>(at) >> 4 & 0x0f0f;
    return -(detail::one_half(at + 82) * detail::of_half(pairs, half));
  }
};

template <>
struct BlockEight<q3_K> {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    detail::two_bits(at + 32 + 32 * part, half);
    KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] |=
        (detail::shifted(detail::repeated(at + 16 * h), 4 * part, 1) & 0x01010101u) << 2;
  }
  static KG_DEVICE detail::Floats8 scale(const u8* at, u32 half) {
    using Both = u64 __attribute__((vector_size(16)));
    const u64 low = detail::load_as<u64>(at + 96);
    const u32 bits = detail::load_as<u32>(at + 104);
    const u64 high = static_cast<u64>(bits >> 2) << 32 | bits;
    const Both six =
        (Both{low, low >> 4} & 0x0f0f0f0f0f0f0f0full) | (Both{high, high >> 4} & 0x0303030303030303ull) << 4;
    return detail::one_half(at + 108) *
           (detail::of_half(bit_cast<detail::Shorts8>(six), half) - detail::eight_times(32));
  }
};

template <>
struct BlockEight<q4_K> : detail::SixBits {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    detail::nibbles_by_slices(at + 16 + 64 * part, half);
  }
};

template <>
struct BlockEight<q5_K> : detail::SixBits {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    detail::nibbles_by_slices(at + 48 + 64 * part, half);
    KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] |=
        (detail::shifted(detail::repeated(at + 16 + 16 * h), 4 * part, 1) & 0x01010101u) << 4;
  }
};

template <>
struct BlockEight<q6_K> {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    constexpr detail::Words16 shift = {0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 4, 4};
    const auto low = detail::load_as<detail::Words16>(at + 64 * part);
    half[0] = detail::runs<0, 2, 0, 2>(low) >> shift & 0x0f0f0f0fu;
    half[1] = detail::runs<1, 3, 1, 3>(low) >> shift & 0x0f0f0f0fu;
    KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] |=
        (detail::shifted(detail::repeated(at + 128 + 32 * part + 16 * h), 0, 2) & 0x03030303u) << 4;
  }
  static KG_DEVICE detail::Floats8 scale(const u8* at, u32 half) {
    return detail::one_half(at + 208) * detail::of_half(detail::load_as<detail::Shorts8>(at + 192), half);
  }
};

template <>
struct BlockEight<q8_K> {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] = detail::four_runs(at + 4 + 128 * part + 16 * h, 32);
  }
  static KG_DEVICE detail::Floats8 scale(const u8* at, u32) {
    return detail::eight_times(detail::load_as<f32>(at));
  }
};

template <>
struct BlockEight<iq4_nl> : detail::Nibbles<iq4_nl, 2> {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    Nibbles::bytes(at, part, half);
    detail::look_up_iq4(half);
  }
};

template <>
struct BlockEight<iq4_xs> : detail::WordByWord<iq4_xs> {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    const auto both = detail::load_as<detail::Words16>(at + 8 + 64 * part);
    half[0] = both & 0x0f0f0f0fu;
    half[1] = both >> 4 & 0x0f0f0f0fu;
    detail::look_up_iq4(half);
  }
};

template <>
struct BlockEight<mxfp4> : detail::Nibbles<mxfp4, 1> {
  static KG_DEVICE void bytes(const u8* at, u32 part, detail::Words16 (&half)[2]) {
    constexpr static i8 values[16] = {0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};
    Nibbles::bytes(at, part, half);
    KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h] = detail::look_up(values, half[h]);
  }
  static KG_DEVICE detail::Floats8 scale(const u8* at, u32) {
    detail::Floats8 scale;
    KG_UNROLL for (u32 i = 0; i < 8; ++i) scale[i] =
        BlockFormat<mxfp4>::scale(BlockInMemory<1>{at + i * sizeof(mxfp4)}, 0, 0);
    return scale;
  }
};

}  // namespace kg
