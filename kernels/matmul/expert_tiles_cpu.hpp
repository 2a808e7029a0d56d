#pragma once
#include "matmul/expert_tiles.hpp"
#include "matmul/matmul_cpu.hpp"

namespace kg::detail {

template <class T, class ExpertOf>
KG_DEVICE void multiply_expert_columns(const MatrixVector<T, f32>& all, f32* y, u64 columns,
                                       u64 results_per_column, i64 expert_step, const ExpertOf& expert_of) {
  constexpr u32 strip = 16;
  const u64 rows = all.a.rows, strips = (rows + strip - 1) / strip;
  for_each_index(strips * columns, [&](u64 index) KG_INLINE {
    const u64 v = index / strips, first = index % strips * strip;
    const u32 count = static_cast<u32>(rows - first < strip ? rows - first : strip);
    f32* const to = y + v * rows + first;
    const i64 expert = expert_of(v);
    if (expert < 0) {
      for (u32 r = 0; r < count; ++r) to[r] = 0;
      return;
    }
    MatrixVector<T, f32> x = all;
    x.a.data += expert * expert_step;
    x.b.data += v / results_per_column * all.a.terms;
    multiply_rows(x, first, count, to);
  });
}

template <class T>
KG_DEVICE void multiply_expert_tiles(const ExpertTiles<T>& all, u64 tile_count) {
  using B = Blocking<widened<T>>;
  const u64 rows = all.first.b.rows;
  const u32 side = even_tile(rows, B::columns, B::across);
  const u64 across = (rows + side - 1) / side;
  const bool in_pairs = PairedTerms<T>::exist();
  for (u64 index = block_index(); index < tile_count * across; index += grid_size()) {
    const u64 t = index / across, first = index % across * side;
    const u32 count = all.count(t), wide = static_cast<u32>(rows - first < side ? rows - first : side);
    for (u32 row = 0; row < count; row += B::rows) {
      const u32 down = count - row < B::rows ? count - row : B::rows;
      const ResultTile<T, f32*> tile{all.operands(t, all.expert(t), count), row,  first, down, wide,
                                     all.results(t) + row * rows + first,   rows, false};
      if (!in_pairs || !multiply_tile<PairedTerms<T>>(tile)) multiply_tile<WidenedTerms<T>>(tile);
    }
  }
}

}  // namespace kg::detail
