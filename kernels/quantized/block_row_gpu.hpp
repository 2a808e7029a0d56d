#pragma once
/// One thread per 16-byte store, so that consecutive threads store contiguous elements.
#include "device/pack.hpp"
#include "quantized/block_row.hpp"

namespace kg {

template <class T>
KG_DEVICE bool stores_wide(const T* y, u64) {
  return reinterpret_cast<u64>(y) % 16 == 0;
}

template <class W, class T>
KG_DEVICE void dequantize_slices(const Group& group, const W* row, u64 begin, u64 end, T* y,
                                 bool is_aligned) {
  using F = BlockFormat<W>;
  constexpr int n = 16 / sizeof(T);
  constexpr u32 words = n / 4;
  constexpr u32 a_slice = slice_elements / n, together = 2;
  const auto make = [&](u64 piece) KG_INLINE {
    const u64 slice = piece / a_slice;
    const u32 w = static_cast<u32>(piece % a_slice) * words, s = static_cast<u32>(slice % F::slices);
    const BlockInMemory<block_alignment<W>> block{reinterpret_cast<const u8*>(row + slice / F::slices)};
    const f32 scale = F::scale(block, s, w / 4);
    f32 offset = 0;
    if constexpr (F::has_offset) offset = F::offset(block, s, w / 4);
    Pack<T, n> pack{};
    KG_UNROLL for (u32 k = 0; k < words; ++k) {
      const u32 q = F::word(block, s, w + k);
      KG_UNROLL for (int e = 0; e < 4; ++e)
          pack.set(static_cast<int>(4 * k) + e, convert<T>(block_element<W>(q, e, scale, offset)));
    }
    return pack;
  };
  const auto store = [&](u64 piece, const Pack<T, n>& pack) KG_INLINE {
    if (is_aligned) {
      store_pack<n>(y + piece * n, pack);
    } else {
      KG_UNROLL for (int e = 0; e < n; ++e) y[piece * n + static_cast<u64>(e)] = pack.get(e);
    }
  };
  const u64 last = end * a_slice, step = group.size;
  u64 piece = begin * a_slice + group.rank;
  for (; piece + (together - 1) * step < last; piece += together * step) {
    Pack<T, n> pack[together];
    KG_UNROLL for (u32 k = 0; k < together; ++k) pack[k] = make(piece + k * step);
    KG_UNROLL for (u32 k = 0; k < together; ++k) store(piece + k * step, pack[k]);
  }
  for (; piece < last; piece += step) store(piece, make(piece));
}

}  // namespace kg
