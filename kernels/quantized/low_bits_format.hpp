#pragma once
/// Formats of one and two bits and of base-3 digits.
#include "quantized/block_format.hpp"

namespace kg {

template <>
struct BlockFormat<q1_0> : detail::OfSlices<4> {
  static constexpr int bias = 1;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    return detail::spread_bits(block.byte(2 + 4 * slice + w / 2) >> w % 2 * 4 & 15u) * 2u;
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(0));
  }
};

template <>
struct BlockFormat<q2_0> : detail::OfSlices<2> {
  static constexpr int bias = 1;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    return detail::spread_pairs(block.byte(2 + 8 * slice + w));
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(0));
  }
};

template <>
struct BlockFormat<tq1_0> : detail::OfSlices<8> {
  static constexpr int bias = 1;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    // Selected after loads and without branches: addresses and masks for each word would not fit the registers.
    const bool is_first = slice < 5, is_last = slice == 7 && w >= 4;
    const u32 high = block.word(48), low = block.word(is_first ? w / 4 * 16 : 32, w % 4);
    return digits(is_last ? high : low, is_first ? slice : is_last ? w % 4 : 2 * slice - 10 + w / 4);
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(52));
  }

 private:
  /// Digit n of four bytes.
  static KG_DEVICE u32 digits(u32 bytes, u32 n) {
    const u32 power = n < 4 ? 0x1b090301u >> 8 * n & 255u : 81u;
    const u32 even = (bytes & 0x00ff00ffu) * power & 0x00ff00ffu,
              odd = (bytes >> 8 & 0x00ff00ffu) * power & 0x00ff00ffu;
    return (even * 3u >> 8 & 0x00030003u) | (odd * 3u & 0x03000300u);
  }
};

template <>
struct BlockFormat<tq2_0> : detail::OfSlices<8> {
  static constexpr int bias = 1;
  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    return block.word(slice / 4 * 32, w) >> slice % 4 * 2 & 0x03030303u;
  }
  template <class Bytes>
  static KG_DEVICE f32 scale(const Bytes& block, u32, u32) {
    return detail::widen_half(block.half(64));
  }
};

}  // namespace kg
