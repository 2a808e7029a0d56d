#pragma once
/// Describes how each format encodes its elements. A block consists of 1, 2, 4 or 8 slices of 32 elements; a
/// slice has 8 words of 4 elements and two halves of 16:
///
///   element = (q - bias) · scale(half)            + offset(half), if the format has_offset
///
/// in f32, each operation rounded, as in ggml's dequantize_row_*. A scale is an f16 times an 8-bit integer, or any f32 if the
/// format has_wide_scale. BlockFormat<W> gives, of a block whose bytes are read through block_bytes.hpp,
///
///   word(block, slice, w)         q of elements 4 w to 4 w + 3 of the slice, a byte each, signed if is_signed
///   scale(block, slice, half)     the same for both halves, unless the format has_two_scales
///   offset(block, slice, half)    likewise
#include "device/block_formats.hpp"
#include "device/convert.hpp"
#include "device/dot.hpp"
#include "quantized/block_bytes.hpp"

namespace kg {

inline constexpr int slice_elements = 32, slice_words = 8;

template <class W>
struct BlockFormat;

/// Alignment of blocks: every block of a row has it if the first one does.
template <class W>
inline constexpr int block_alignment = sizeof(W) % 4 == 0   ? 4
                                       : sizeof(W) % 2 == 0 ? 2
                                                            : 1;

namespace detail {

/// Converts a single f16 to f32.
KG_DEVICE f32 widen_half(u16 bits) {
#if KG_GPU
  return widen(f16{bits});
#else
  return static_cast<f32>(bit_cast<_Float16>(bits));
#endif
}

/// Nibbles from byte o on; low nibbles are elements 0 to 15.
template <class Bytes>
KG_DEVICE u32 nibbles(const Bytes& block, u32 o, u32 w) {
  return block.word(o, w % 4) >> w / 4 * 4 & 0x0f0f0f0fu;
}

/// Moves bits 4 w to 4 w + 3 to bit 4 of one byte each.
KG_DEVICE u32 fifth_bits(u32 bits, u32 w) { return (bits >> 4 * w & 15u) * 0x02040810u & 0x10101010u; }

/// Four codes of 2 bits in a byte, one byte each.
KG_DEVICE u32 spread_pairs(u32 byte) {
  const u32 x = (byte | byte << 12) & 0x000f000fu;
  return (x | x << 6) & 0x03030303u;
}

/// Four bits as bytes 0 or 1.
KG_DEVICE u32 spread_bits(u32 four) { return four * 0x00204081u & 0x01010101u; }

/// Defaults of a format: `count` slices per block, each with one scale, or one for each half.
template <int count, bool two_scales = false>
struct OfSlices {
  static constexpr int slices = count, bias = 0;
  static constexpr bool has_offset = false, has_two_scales = two_scales, is_signed = false,
                        has_wide_scale = false;
};

/// Scales and offsets of q4_K and q5_K: 6 bits each for 8 slices.
struct OfSixBits : OfSlices<8> {
  static constexpr bool has_offset = true;

  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32) {
    const u32 whole = block.byte(4 + slice % 4), parts = block.byte(12 + slice % 4);
    const u32 six = slice < 4 ? whole & 63u : (parts & 15u) | whole >> 6 << 4;
    return widen_half(block.half(0)) * static_cast<f32>(six);
  }
  template <class Bytes>
  static KG_DEVICE f32 offset(const Bytes& block, u32 slice, u32) {
    const u32 whole = block.byte(8 + slice % 4), parts = block.byte(12 + slice % 4);
    const u32 six = slice < 4 ? whole & 63u : parts >> 4 | whole >> 6 << 4;
    return -(widen_half(block.half(2)) * static_cast<f32>(six));
  }
};

}  // namespace detail

template <>
struct BlockFormat<q4_0> : detail::OfSlices<1> {
  static constexpr int bias = 8;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return detail::nibbles(block, 2, w);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(0));
  }
};

template <>
struct BlockFormat<q4_1> : detail::OfSlices<1> {
  static constexpr bool has_offset = true;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return detail::nibbles(block, 4, w);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(0));
  }
  template <class Bytes>
  static KG_DEVICE f32 offset(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(2));
  }
};

template <>
struct BlockFormat<q5_0> : BlockFormat<q4_0> {
  static constexpr int bias = 16;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return detail::nibbles(block, 6, w) | detail::fifth_bits(block.word(2), w);
  }
};

template <>
struct BlockFormat<q5_1> : BlockFormat<q4_1> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return detail::nibbles(block, 8, w) | detail::fifth_bits(block.word(4), w);
  }
};

template <>
struct BlockFormat<q8_0> : detail::OfSlices<1> {
  static constexpr bool is_signed = true;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return block.word(2, w);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(0));
  }
};

template <>
struct BlockFormat<q8_1> : BlockFormat<q8_0> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return block.word(4, w);
  }
};

template <>
struct BlockFormat<q2_K> : detail::OfSlices<8, true> {
  static constexpr bool has_offset = true;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    return block.word(16 + slice / 4 * 32, w) >> slice % 4 * 2 & 0x03030303u;
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32 half) {
    return detail::widen_half(block.half(80)) * static_cast<f32>(block.byte(2 * slice + half) & 15u);
  }
  template <class Bytes>
  static KG_DEVICE f32 offset(const Bytes& block, u32 slice, u32 half) {
    return -(detail::widen_half(block.half(82)) * static_cast<f32>(block.byte(2 * slice + half) >> 4));
  }
};

template <>
struct BlockFormat<q3_K> : detail::OfSlices<8, true> {
  static constexpr int bias = 4;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 third = (block.word(0, w) >> slice & 0x01010101u) << 2;
    return (block.word(32 + slice / 4 * 32, w) >> slice % 4 * 2 & 0x03030303u) | third;
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32 half) {
    const u32 s = 2 * slice + half;
    const u32 low = block.byte(96 + s % 8) >> s / 8 * 4 & 15u,
              high = block.byte(104 + s % 4) >> s / 4 * 2 & 3u;
    return detail::widen_half(block.half(108)) * static_cast<f32>(static_cast<i32>(low | high << 4) - 32);
  }
};

template <>
struct BlockFormat<q4_K> : detail::OfSixBits {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    return block.word(16 + slice / 2 * 32, w) >> slice % 2 * 4 & 0x0f0f0f0fu;
  }
};

template <>
struct BlockFormat<q5_K> : detail::OfSixBits {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 fifth = (block.word(16, w) >> slice & 0x01010101u) << 4;
    return (block.word(48 + slice / 2 * 32, w) >> slice % 2 * 4 & 0x0f0f0f0fu) | fifth;
  }
};

template <>
struct BlockFormat<q6_K> : detail::OfSlices<8, true> {
  static constexpr int bias = 32;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 run = slice / 4, part = slice % 4;
    const u32 low = block.word(64 * run + part % 2 * 32, w) >> part / 2 * 4 & 0x0f0f0f0fu;
    return low | (block.word(128 + 32 * run, w) >> 2 * part & 0x03030303u) << 4;
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32 half) {
    const i32 s = static_cast<i8>(block.byte(192 + 2 * slice + half));
    return detail::widen_half(block.half(208)) * static_cast<f32>(s);
  }
};

template <>
struct BlockFormat<q8_K> : detail::OfSlices<8> {
  static constexpr bool is_signed = true, has_wide_scale = true;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    return block.word(4 + 32 * slice, w);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return bit_cast<f32>(block.word(0));
  }
};

template <>
struct BlockFormat<iq4_nl> : detail::OfSlices<1> {
  static constexpr bool is_signed = true;
  /// Decodes four codes to -127 -104 -83 -65 -49 -35 -22 -10 1 13 25 38 53 69 89 113.
  static KG_DEVICE u32 values(u32 codes) {
    constexpr u32 table[4] = {0xbfad9881u, 0xf6eaddcfu, 0x26190d01u, 0x71594535u};
    return look_up_bytes(table, codes);
  }
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return values(detail::nibbles(block, 2, w));
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(0));
  }
};

template <>
struct BlockFormat<mxfp4> : detail::OfSlices<1> {
  static constexpr bool is_signed = true, has_wide_scale = true;
  /// Decodes four codes to twice their value: 0 1 2 3 4 6 8 12 and their negatives.
  static KG_DEVICE u32 values(u32 codes) {
    constexpr u32 table[4] = {0x03020100u, 0x0c080604u, 0xfdfeff00u, 0xf4f8fafcu};
    return look_up_bytes(table, codes);
  }
  /// 2^(e - 127) / 2.
  static KG_DEVICE f32 step(u32 e) { return bit_cast<f32>(e < 2 ? 0x00200000u << e : (e - 1) << 23); }
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32, u32 w) {
    return values(detail::nibbles(block, 1, w));
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return step(block.byte(0));
  }
};

template <>
struct BlockFormat<iq4_xs> : detail::OfSlices<8> {
  static constexpr bool is_signed = true;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    return BlockFormat<iq4_nl>::values(detail::nibbles(block, 8 + 16 * slice, w));
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32) {
    const u32 low = block.byte(4 + slice / 2) >> slice % 2 * 4 & 15u, high = block.half(2) >> 2 * slice & 3u;
    return detail::widen_half(block.half(0)) * static_cast<f32>(static_cast<i32>(low | high << 4) - 32);
  }
};

template <>
struct BlockFormat<nvfp4> : detail::OfSlices<2, true> {
  static constexpr bool is_signed = true;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 both = block.word(4 + 16 * slice + w / 4 * 8, w % 2);
    return BlockFormat<mxfp4>::values(both >> w % 4 / 2 * 4 & 0x0f0f0f0fu);
  }
  /// Half of a scale: values() are doubled.
  static KG_DEVICE f32 step(u32 e4m3) {
    const u32 exponent = e4m3 >> 3 & 15u, mantissa = e4m3 & 7u;
    if (e4m3 == 0x7fu) return 0;
    return exponent == 0 ? static_cast<f32>(mantissa) * 0x1p-10f
                         : bit_cast<f32>((exponent + 119u) << 23 | mantissa << 20);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32 half) {
    return step(block.byte(2 * slice + half));
  }
};

/// A wide scale as a product of two factors. `scale` is below 2^100, so its product with a slice's dot product of bytes
/// (below 2^20) is finite. `up` is 2^32 for scales of 2^100 and more, which keeps `scale` so large that no product with it
/// underflows; otherwise 1.
struct SplitScale {
  f32 scale, up;

  KG_DEVICE explicit SplitScale(f32 whole) {
    const bool is_large = (bit_cast<u32>(whole) & 0x7fffffffu) >= 0x71800000u;
    scale = is_large ? whole * 0x1p-32f : whole;
    up = is_large ? 0x1p32f : 1.0f;
  }
};

/// Element e (0 to 3) of a word.
template <class W>
KG_DEVICE f32 block_element(u32 word, int e, f32 scale, f32 offset) {
  using F = BlockFormat<W>;
  // Inserts the byte as the low bits of 2^23 and subtracts 2^23: fewer instructions than a conversion.
  constexpr u32 lift = F::is_signed ? 0x80u : 0u;
  const u32 digits = 0x4b000000u | ((word >> 8 * e & 255u) ^ lift);
  const f32 q = bit_cast<f32>(digits) - (0x1p23f + static_cast<f32>(F::bias + static_cast<int>(lift)));
  const f32 y = scale * q;
  return F::has_offset ? y + offset : y;
}

}  // namespace kg

#include "quantized/codebook_format.hpp"
#include "quantized/low_bits_format.hpp"
