#pragma once
/// What splits of the keys gave, as one result.
#include "engines/attention_total.hpp"
#include "engines/each.hpp"

namespace kg {

/// An element of the result a thread; the splits' weights are worked out again for each, from states that neighbours
/// share.
template <class T>
KG_DEVICE void attention_combine(const f32* partials, const f32* sinks, T* y, f32* log_sums,
                                 const AttentionShape& shape) {
  const u64 rows = static_cast<u64>(shape.batch) * shape.heads * shape.queries;
  const PartialRows parts{const_cast<f32*>(partials), rows, shape.splits, shape.width};
  for_each_index(rows * shape.width, [&](u64 index) KG_INLINE {
    const u64 row = index / shape.width;
    const u32 d = static_cast<u32>(index - row * shape.width);
    const AttentionState* states = parts.state(row, 0);
    AttentionState all{negative_infinity(), 0};
    for (u32 i = 0; i < shape.splits; ++i) all.top = states[i].top > all.top ? states[i].top : all.top;
    f32 sum = 0;
    for (u32 i = 0; i < shape.splits; ++i) {
      if (states[i].weight == 0) continue;
      const f32 factor = attention_weight(states[i].top, all.top);
      all.weight += states[i].weight * factor;
      sum += parts.sums(row, i)[d] * factor;
    }
    const u64 line = row / shape.queries;
    const u32 t = static_cast<u32>(row - line * shape.queries);
    const u32 head = static_cast<u32>(line % shape.heads), batch = static_cast<u32>(line / shape.heads);
    const AttentionTotal total = attention_total(all, sinks, head);
    y[batch * shape.y.batch + head * shape.y.head + t * shape.y.row + d] = convert<T>(sum * total.factor);
    if (log_sums && d == 0) log_sums[row] = total.log_sum;
  });
}

}  // namespace kg
