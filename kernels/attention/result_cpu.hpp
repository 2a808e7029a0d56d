#pragma once
#include "attention/part.hpp"

namespace kg::detail {

/// Stores row r of a part after all of its keys: the final result, or the partial result of a split.
template <class T, class K>
KG_DEVICE void store_attention_row(const AttentionPart<T, K>& part, u32 r, const AttentionState& state,
                                   const f32* sums) {
  const Attention<T, K>& x = part.sequence.all;
  const u32 t = part.query(r), width = x.shape.width;
  const AttentionHead<T, K> head = part.head(r);
  if (x.shape.splits > 1) {
    const PartialRows partials = partial_rows(x);
    *partials.state(head.row(t), part.split) = state;
    f32* to = partials.sums(head.row(t), part.split);
    for (u32 d = 0; d < width; ++d) to[d] = sums[d];
  } else {
    const AttentionState whole = x.sinks ? with_sink(state, x.sinks[head.head]) : state;
    const f32 share = share_of(state, whole);
    if (x.has_f32_rows()) {
      f32* to = head.f32_result(t);
      for (u32 d = 0; d < width; ++d) to[d] = sums[d] * share;
    } else {
      T* to = head.result(t);
      for (u32 d = 0; d < width; ++d) to[d] = convert<T>(sums[d] * share);
    }
    if (x.log_sums) x.log_sums[head.row(t)] = log_sum(whole);
  }
}

}  // namespace kg::detail
