#pragma once
/// The iq1, iq2 and iq3 formats, whose indices select entries of plan/codebooks.hpp.
#include "plan/codebooks.hpp"
#include "quantized/block_format.hpp"

namespace kg {

namespace detail {

/// An entry's four codes of 3 bits as bytes.
KG_DEVICE u32 spread_triples(u32 entry) {
  const u32 x = (entry | entry << 10) & 0x003f003fu;
  return (x | x << 5) & 0x07070707u;
}

/// 7 sign bits and an eighth, which makes the number of set bits even.
KG_DEVICE u32 even_signs(u32 seven) {
  seven &= 127u;
  const u32 four = seven ^ seven >> 4, two = four ^ four >> 2;
  return seven | ((two ^ two >> 1) & 1u) << 7;
}

/// Negates the bytes of x, none of which is 0, whose bits 4 e to 4 e + 3 of `signs` are set.
KG_DEVICE u32 with_signs(u32 x, u32 signs, u32 e) {
  const u32 ones = spread_bits(signs >> 4 * e & 15u);
  return (x ^ ones * 255u) + ones;
}

/// Values 8, 25 and 43 of an entry's codes 0, 1 and 2, from code 4 e on.
KG_DEVICE u32 values_of_pairs(u32 entry, u32 e) {
  const u32 codes = spread_pairs(entry >> 8 * e & 255u);
  return codes * 17u + (codes >> 1 & 0x01010101u) + 0x08080808u;
}

/// d (scale + 1/2) / divisor, in ggml's order.
KG_DEVICE f32 scale_between(u16 d, u32 scale, f32 inverse_divisor) {
  return widen_half(d) * (0.5f + static_cast<f32>(scale)) * inverse_divisor;
}

/// 256 elements with signed bytes.
template <bool two_scales>
struct OfCodebook : OfSlices<8, two_scales> {
  static constexpr bool is_signed = true;
};

/// Elements (value ± 1/8) · scale for values -1, 0 and 1, as integers 8 value ± 1 times scale / 8. The word's bytes are these
/// integers plus 9.
template <bool two_scales>
struct OfEighths : OfSlices<8, two_scales> {
  static constexpr int bias = 9;

  static KG_DEVICE u32 eighths(u32 index, u32 e, bool is_below) {
    return spread_pairs(iq1_grid[index] >> 8 * e & 255u) * 8u + (is_below ? 0u : 0x02020202u);
  }
  static KG_DEVICE f32 eighth_of_scale(u16 d, u32 scale) {
    return widen_half(d) * static_cast<f32>(2 * scale + 1) * 0.125f;
  }
};

}  // namespace detail

template <>
struct BlockFormat<iq2_xxs> : detail::OfCodebook<false> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 entry = iq2_xxs_grid[block.byte(2 + 8 * slice + w / 2)];
    const u32 signs = detail::even_signs(block.word(6 + 8 * slice) >> 7 * (w / 2));
    return detail::with_signs(detail::values_of_pairs(entry, w % 2), signs, w % 2);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32) {
    return detail::scale_between(block.half(0), block.byte(9 + 8 * slice) >> 4, 0.25f);
  }
};

template <>
struct BlockFormat<iq2_xs> : detail::OfCodebook<true> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 index = block.half(2 + 8 * slice + w / 2 * 2);
    return detail::with_signs(detail::values_of_pairs(iq2_xs_grid[index & 511u], w % 2),
                              detail::even_signs(index >> 9), w % 2);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32 half) {
    return detail::scale_between(block.half(0), block.byte(66 + slice) >> 4 * half & 15u, 0.25f);
  }
};

template <>
struct BlockFormat<iq2_s> : detail::OfCodebook<true> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 at = 4 * slice + w / 2, high = block.byte(66 + slice) >> w / 2 * 2 & 3u;
    return detail::with_signs(detail::values_of_pairs(iq2_s_grid[block.byte(2 + at) | high << 8], w % 2),
                              block.byte(34 + at), w % 2);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32 half) {
    return detail::scale_between(block.half(0), block.byte(74 + slice) >> 4 * half & 15u, 0.25f);
  }
};

template <>
struct BlockFormat<iq3_xxs> : detail::OfCodebook<false> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 codes = detail::spread_triples(iq3_xxs_grid[block.byte(2 + 8 * slice + w)]);
    const u32 values = codes * 8u + ((codes + 0x01010101u) >> 2 & 0x02020202u) + 0x04040404u;
    return detail::with_signs(values, detail::even_signs(block.word(66 + 4 * slice) >> 7 * (w / 2)), w % 2);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32) {
    return detail::scale_between(block.half(0), block.byte(69 + 4 * slice) >> 4, 0.5f);
  }
};

template <>
struct BlockFormat<iq3_s> : detail::OfCodebook<false> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 index = block.byte(2 + 8 * slice + w) | (block.byte(66 + slice) >> w & 1u) << 8;
    const u32 values = detail::spread_triples(iq3_s_grid[index]) * 2u + 0x01010101u;
    return detail::with_signs(values, block.byte(74 + 4 * slice + w / 2), w % 2);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32) {
    const u32 scale = block.byte(106 + slice / 2) >> slice % 2 * 4 & 15u;
    return detail::widen_half(block.half(0)) * static_cast<f32>(2 * scale + 1);
  }
};

template <>
struct BlockFormat<iq1_s> : detail::OfEighths<false> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 high = block.half(34 + 2 * slice);
    const u32 index = block.byte(2 + 4 * slice + w / 2) | (high >> w / 2 * 3 & 7u) << 8;
    return eighths(index, w % 2, high >> 15 != 0);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32) {
    return eighth_of_scale(block.half(0), block.half(34 + 2 * slice) >> 12 & 7u);
  }
};

template <>
struct BlockFormat<iq1_m> : detail::OfEighths<true> {
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 high = block.byte(32 + 2 * slice + w / 4) >> w / 2 % 2 * 4;
    return eighths(block.byte(4 * slice + w / 2) | (high & 7u) << 8, w % 2, (high & 8u) != 0);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32 slice, u32 half) {
    const u32 first = block.word(48), second = block.word(52);
    const u32 d = (first >> 12 & 0x000fu) | (first >> 24 & 0x00f0u) | (second >> 4 & 0x0f00u) |
                  (second >> 16 & 0xf000u);
    const u32 three = block.half(48 + slice / 2 * 2) >> (slice % 2 * 6 + half * 3) & 7u;
    return eighth_of_scale(static_cast<u16>(d), three);
  }
};

}  // namespace kg
