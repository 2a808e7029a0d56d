#pragma once
/// Activations as bytes with a scale for each 32 of them (see plan/quantized.hpp). The scale stays f32: what rounding
/// to f16 as q8_1 has it would cost is not paid.
#include "device/convert.hpp"
#include "device/group.hpp"
#include "engines/block_format.hpp"
#include "plan/quantized.hpp"

namespace kg {

/// Types of activations by their number in the package (kernelgen_dtype).
enum class ActivationType : u32 { bf16 = 5, f16 = 6, f32 = 7 };

KG_DEVICE f32 load_activation(const void* x, ActivationType type, u64 i) {
  switch (type) {
    case ActivationType::bf16:
      return widen(static_cast<const bf16*>(x)[i]);
    case ActivationType::f16:
      return widen(static_cast<const f16*>(x)[i]);
    default:
      return static_cast<const f32*>(x)[i];
  }
}

KG_DEVICE void store_activation(void* y, ActivationType type, u64 i, f32 value) {
  switch (type) {
    case ActivationType::bf16:
      static_cast<bf16*>(y)[i] = narrow<bf16>(value);
      return;
    case ActivationType::f16:
      static_cast<f16*>(y)[i] = narrow<f16>(value);
      return;
    default:
      static_cast<f32*>(y)[i] = value;
  }
}

/// A column in memory, aligned to 8 bytes.
struct QuantizedColumn {
  u8* at;
  u64 slices;

  KG_DEVICE u32* words(u64 slice, int half) const {
    return reinterpret_cast<u32*>(at + (half ? slices * 16 : 0)) + slice * 4;
  }
  KG_DEVICE f32* scale(u64 slice) const { return reinterpret_cast<f32*>(at + slices * 32) + slice; }
  KG_DEVICE i16* sums(u64 slice) const { return reinterpret_cast<i16*>(at + slices * 36) + slice * 2; }
};

namespace detail {

/// x / d, to the nearest integer; 0 of NaN.
KG_DEVICE i32 to_byte(f32 x, f32 inverse) {
  // Adding 1.5 · 2^23 rounds to an integer and leaves it in the low bits.
  const f32 scaled = x * inverse;
  const f32 bounded = scaled < -127.0f   ? -127.0f
                      : scaled <= 127.0f ? scaled
                      : scaled > 127.0f  ? 127.0f
                                         : 0.0f;
  return static_cast<i32>(bit_cast<u32>(bounded + 0x1.8p23f)) - 0x4b400000;
}

KG_DEVICE u32 pack_bytes(const i32 (&q)[4]) {
  return (static_cast<u32>(q[0]) & 255u) | (static_cast<u32>(q[1]) & 255u) << 8 |
         (static_cast<u32>(q[2]) & 255u) << 16 | static_cast<u32>(q[3]) << 24;
}

/// The greater of two magnitudes; NaN wins.
KG_DEVICE f32 greater(f32 a, f32 b) { return a > b || a != a ? a : b; }

}  // namespace detail

/// Puts x, `slices` of 32 elements, into `column`, by all of a block's threads. A scale that is no finite number makes
/// everything that is multiplied with it NaN.
KG_DEVICE void quantize_column(const void* x, ActivationType type, u64 first, const QuantizedColumn& column) {
  constexpr u32 lanes = is_gpu ? slice_words : 1, words = slice_words / lanes;
  const Group group(lanes);
  for (u64 from = 0; from < column.slices; from += group.count) {
    const u64 slice = from + group.index;
    const bool is_mine = slice < column.slices && group.index < group.count;
    f32 value[words][4];
    f32 top = 0;
    for (u32 w = 0; w < words; ++w)
      for (u32 e = 0; e < 4; ++e) {
        const u64 i = first + slice * slice_elements + (group.rank * words + w) * 4 + e;
        value[w][e] = is_mine ? load_activation(x, type, i) : 0.0f;
        top = detail::greater(value[w][e] < 0 ? -value[w][e] : value[w][e], top);
      }
    top = group_reduce(group, top, [](f32 a, f32 b) { return detail::greater(a, b); });
    const f32 d = top / 127.0f, inverse = top > 0 ? 127.0f / top : 0.0f;
    // The inverse of what is below 2^-121 is infinite.
    const bool is_tiny = inverse * 0 != 0;
    i32 sum[2] = {};
    for (u32 w = 0; w < words; ++w) {
      const u32 word = group.rank * words + w;
      i32 q[4];
      for (u32 e = 0; e < 4; ++e)
        q[e] = is_tiny ? detail::to_byte(value[w][e] * 0x1p64f, 127.0f / (top * 0x1p64f))
                       : detail::to_byte(value[w][e], inverse);
      if (is_mine) column.words(slice, word >= 4)[word % 4] = detail::pack_bytes(q);
      sum[word / 4] += q[0] + q[1] + q[2] + q[3];
    }
    if constexpr (is_gpu) {
      const u32 half = group.rank / 4;
      i32 mine = sum[0] + sum[1];
      mine += lane_xor(group, mine, 1);
      mine += lane_xor(group, mine, 2);
      if (is_mine && group.rank % 4 == 0) column.sums(slice)[half] = static_cast<i16>(mine);
    } else {
      column.sums(slice)[0] = static_cast<i16>(sum[0]);
      column.sums(slice)[1] = static_cast<i16>(sum[1]);
    }
    if (is_mine && group.rank == 0) *column.scale(slice) = d;
  }
}

}  // namespace kg
