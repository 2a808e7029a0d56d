#pragma once
#include "attention/tile.hpp"

namespace kg::detail {

/// Stores row r of a tile after all of its keys: the final result, or the partial result of a split.
template <class T, class K>
KG_DEVICE void store_attention_row(const AttentionTile<T, K>& tile, u32 r, const AttentionState& state,
                                   const f32* sums) {
  const Attention<T, K>& x = tile.sequence.all;
  const u32 t = tile.query(r), width = x.shape.width;
  const AttentionHead<T, K> head = tile.head(r);
  if (x.shape.splits > 1) {
    const PartialRows partials = partial_rows(x);
    *partials.state(head.row(t), tile.split) = state;
    f32* to = partials.sums(head.row(t), tile.split);
    for (u32 d = 0; d < width; ++d) to[d] = sums[d];
  } else {
    const f32 share = finish_query(head, t, state, true);
    if (x.has_f32_rows()) {
      f32* to = head.f32_result(t);
      for (u32 d = 0; d < width; ++d) to[d] = sums[d] * share;
    } else {
      T* to = head.result(t);
      for (u32 d = 0; d < width; ++d) to[d] = convert<T>(sums[d] * share);
    }
  }
}

}  // namespace kg::detail
