#pragma once
#include "engines/block_row.hpp"

namespace kg {

template <class W, class T>
KG_DEVICE void dequantize_slices(const Group&, const W* row, u64 begin, u64 end, T* y, bool) {
  using F = BlockFormat<W>;
  for (u64 slice = begin; slice < end; ++slice) {
    const u32 s = static_cast<u32>(slice % F::slices);
    const BlockInMemory<alignof(W)> block{reinterpret_cast<const u8*>(row + slice / F::slices)};
    alignas(32) u32 word[slice_words];
    for (u32 w = 0; w < slice_words; ++w) word[w] = F::word(block, s, w);
    for (u32 half = 0; half < 2; ++half) {
      const f32 scale = F::scale(block, s, half);
      f32 offset = 0;
      if constexpr (F::has_offset) offset = F::offset(block, s, half);
      T* to = y + slice * slice_elements + half * 16;
      for (int e = 0; e < 16; ++e)
        to[e] = convert<T>(block_element<W>(word[half * 4 + static_cast<u32>(e) / 4], e % 4, scale, offset));
    }
  }
}

}  // namespace kg
