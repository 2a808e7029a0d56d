#pragma once
/// Eight consecutive threads per slice, four elements each.
#include "device/group.hpp"
#include "device/pack.hpp"
#include "quantized/column.hpp"

namespace kg {

template <class X>
KG_DEVICE void quantize_column(const X* x, const QuantizedColumn& column) {
  constexpr u32 together = 4;  // loads in flight per thread
  const Group group(slice_words);
  const u64 words = u64{column.slices} * slice_words;
  const bool are_aligned = is_aligned<4>(x);
  for (u64 from = 0; from < words; from += together * block_size()) {
    Pack<X, 4> pack[together]{};
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      const u64 word = from + k * block_size() + thread_index();
      if (word >= words) continue;
      if (are_aligned) {
        pack[k] = load_pack<4>(x + word * 4);
      } else {
        KG_UNROLL for (int e = 0; e < 4; ++e) pack[k].set(e, x[word * 4 + static_cast<u64>(e)]);
      }
    }
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      if (from + k * block_size() >= words) break;
      const u64 word = from + k * block_size() + thread_index();
      f32 value[4];
      u32 top = 0;
      KG_UNROLL for (int e = 0; e < 4; ++e) {
        value[e] = widen(pack[k].get(e));
        const u32 bits = detail::magnitude_bits(value[e]);
        top = bits > top ? bits : top;
      }
      KG_UNROLL for (u32 mask = 1; mask < slice_words; mask *= 2) {
        const u32 other = lane_xor(group, top, mask);
        top = other > top ? other : top;
      }
      const detail::ByteSteps steps(bit_cast<f32>(top));
      u32 bytes = 0;
      KG_UNROLL for (int e = 0; e < 4; ++e) bytes |= (steps.nearest(value[e]) & 255u) << 8 * e;
      i32 sum = dot4(bytes, 0x01010101u, 0);
      sum += lane_xor(group, sum, 1);
      sum += lane_xor(group, sum, 2);
      if (word >= words) continue;
      const u32 slice = static_cast<u32>(word / slice_words);
      const u32 rank = static_cast<u32>(word % slice_words);
      column.words(slice, rank >= 4)[rank % 4] = bytes;
      if (rank % 4 == 0) column.sums(slice)[rank / 4] = static_cast<i16>(sum);
      if (rank == 0) *column.scale(slice) = steps.d;
    }
  }
}

KG_DEVICE void quantize_column(const void* x, ActivationType type, u64 first, const QuantizedColumn& column) {
  visit(type, [&](auto* of_type) KG_INLINE {
    quantize_column(static_cast<const decltype(of_type)>(const_cast<void*>(x)) + first, column);
  });
}

}  // namespace kg
