#pragma once
/// Combines the partial results of key splits.
#include "attention/semantics.hpp"
#include "engines/grid_stride.hpp"

namespace kg {

namespace detail {

/// The state of a row over all splits, and in `sum` element e of its accumulator. The loads of `together` splits are in flight at a
/// time.
template <u32 together>
KG_DEVICE AttentionState combined(const PartialRows& parts, u64 row, u32 e, f32& sum) {
  AttentionState state{negative_infinity(), 0};
  sum = 0;
  for (u32 split = 0; split < parts.splits; split += together) {
    AttentionState other[together];
    f32 sums[together];
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      const u32 at = split + k < parts.splits ? split + k : split;
      other[k] = *parts.state(row, at);
      sums[k] = parts.sums(row, at)[e];
    }
    f32 top = state.row_max;
    KG_UNROLL for (u32 k = 0; k < together; ++k) top = other[k].row_max > top ? other[k].row_max : top;
    const f32 before = attention_decay(state.row_max, top);
    state = {top, state.row_sum * before};
    sum *= before;
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      // A split without keys stored no sums.
      if (split + k >= parts.splits || other[k].row_sum == 0) continue;
      const f32 factor = attention_decay(other[k].row_max, top);
      state.row_sum = fma(other[k].row_sum, factor, state.row_sum);
      sum = fma(sums[k], factor, sum);
    }
  }
  return state;
}

}  // namespace detail

/// y = the partial results (PartialRows) of all splits, merged. One thread per element: threads of a row load the same states and
/// repeat the few computations with them, which costs less than sharing the results.
template <class T>
KG_DEVICE void attention_combine(const f32* partials, const f32* sinks, T* y, f32* log_sum_exp,
                                 const AttentionShape& shape) {
  const u64 rows = static_cast<u64>(shape.batch) * shape.heads * shape.queries;
  const PartialRows parts{const_cast<f32*>(partials), rows, shape.splits, shape.width};
  for_each_index(rows * shape.width, [&](u64 index) KG_INLINE {
    const u64 row = index / shape.width, head_row = row / shape.queries;
    const u32 e = static_cast<u32>(index % shape.width), t = static_cast<u32>(row % shape.queries);
    const u64 batch = head_row / shape.heads;
    const u32 head = static_cast<u32>(head_row % shape.heads);
    f32 sum;
    const AttentionState state = shape.splits <= 4 ? detail::combined<4>(parts, row, e, sum)
                                                   : detail::combined<16>(parts, row, e, sum);
    const AttentionState whole = sinks ? with_sink(state, sinks[head]) : state;
    y[batch * shape.y.batch + head * shape.y.head + t * shape.y.row + e] =
        convert<T>(sum * share_of(state, whole));
    if (e == 0 && log_sum_exp) log_sum_exp[row] = log_sum(whole);
  });
}

}  // namespace kg
