#pragma once
/// A thread a word, so that neighbouring threads store neighbours.
#include "device/pack.hpp"
#include "engines/block_row.hpp"

namespace kg {

template <class W, class T>
KG_DEVICE void dequantize_slices(const Group& group, const W* row, u64 begin, u64 end, T* y,
                                 bool is_aligned) {
  using F = BlockFormat<W>;
  for (u64 word = begin * slice_words + group.rank; word < end * slice_words; word += group.size) {
    const u64 slice = word / slice_words;
    const int w = static_cast<int>(word % slice_words), s = static_cast<int>(slice % F::slices);
    const BlockInMemory<alignof(W)> block{reinterpret_cast<const u8*>(row + slice / F::slices)};
    const u32 q = F::word(block, s, w);
    const f32 scale = F::scale(block, s, w / 4);
    f32 offset = 0;
    if constexpr (F::has_offset) offset = F::offset(block, s, w / 4);
    Pack<T, 4> pack{};
    KG_UNROLL for (int e = 0; e < 4; ++e) pack.set(e, convert<T>(block_element<W>(q, e, scale, offset)));
    if (is_aligned) {
      store_pack<4>(y + word * 4, pack);
    } else {
      KG_UNROLL for (int e = 0; e < 4; ++e) y[word * 4 + static_cast<u64>(e)] = pack.get(e);
    }
  }
}

}  // namespace kg
