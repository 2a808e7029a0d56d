#pragma once
/// What splits of the keys gave, as one result, on the CPU.
#include "engines/attention.hpp"
#include "engines/each.hpp"

namespace kg {

template <class T>
KG_DEVICE void attention_combine(const f32* partials, const f32* sinks, T* y, f32* log_sums,
                                 const AttentionShape& shape) {
  const u64 rows = static_cast<u64>(shape.batch) * shape.heads * shape.queries;
  const PartialRows parts{const_cast<f32*>(partials), rows, shape.splits, shape.width};
  for_each_index(rows, [&](u64 row) KG_INLINE {
    const AttentionState* states = parts.state(row, 0);
    AttentionState all{negative_infinity(), 0};
    for (u32 i = 0; i < shape.splits; ++i) all.top = states[i].top > all.top ? states[i].top : all.top;
    f32 sum[attention_widest] = {};
    for (u32 i = 0; i < shape.splits; ++i) {
      const f32 factor = attention_weight(states[i].top, all.top);
      all.weight += states[i].weight * factor;
      const f32* from = parts.sums(row, i);
      for (u32 d = 0; d < shape.width; ++d) sum[d] += from[d] * factor;
    }
    const u64 line = row / shape.queries;
    const u32 t = static_cast<u32>(row - line * shape.queries);
    const u32 head = static_cast<u32>(line % shape.heads), batch = static_cast<u32>(line / shape.heads);
    const AttentionState whole = sinks ? with_sink(all, sinks[head]) : all;
    const f32 share = share_of(all, whole);
    T* to = y + batch * shape.y.batch + head * shape.y.head + t * shape.y.row;
    for (u32 d = 0; d < shape.width; ++d) to[d] = convert<T>(sum[d] * share);
    if (log_sums) log_sums[row] = log_sum(whole);
  });
}

}  // namespace kg
