#pragma once
#include "matmul/expert_tiles.hpp"
#include "matmul/matmul_gpu.hpp"
#include "matmul/vector_gpu.hpp"

namespace kg::detail {

/// One group of threads per matvec_together results of a vector, for operands of packs.
template <class T, class ExpertOf>
KG_DEVICE void multiply_expert_columns_together(const MatrixVector<T, f32>& all, f32* y, u64 columns,
                                                u64 results_per_column, i64 expert_step,
                                                const ExpertOf& expert_of) {
  const u64 rows = all.a.rows;
  bool has_expert = false;  // the column of the results that are computed
  for_each_sum<T>(
      rows * columns, all.a.terms,
      [&](u64 first) KG_INLINE {
        const u64 v = first / rows;
        const i64 expert = expert_of(v), row_stride = expert < 0 ? 0 : all.a.row_stride;
        has_expert = expert >= 0;
        const f32* const x = all.b.data + v / results_per_column * all.a.terms;
        // A column without an expert gets zeros below: any readable row will do.
        const T* const from =
            expert < 0 ? reinterpret_cast<const T*>(x)
                       : all.a.data + expert * expert_step + static_cast<i64>(first - v * rows) * row_stride;
        return sum_operands(
            x, [=](u64 index) KG_INLINE { return from + static_cast<i64>(index - first) * row_stride; });
      },
      [&](u64 first, const auto& sums) KG_INLINE {
        KG_UNROLL for (u32 r = 0; r < matvec_together; ++r) y[first + r] = has_expert ? sums.at[r] : 0.0f;
      });
}

/// One group of threads per result.
template <class T, class ExpertOf>
KG_DEVICE void multiply_expert_columns(const MatrixVector<T, f32>& all, f32* y, u64 columns,
                                       u64 results_per_column, i64 expert_step, const ExpertOf& expert_of) {
  using F = widened<T>;
  constexpr int width = 16 / sizeof(T);
  const u64 rows = all.a.rows, results = rows * columns;
  if (are_expert_rows_together(rows, columns, all.a.terms, sizeof(T)) && is_of_packs(all) &&
      expert_step % width == 0 && all.a.terms % width == 0)
    return multiply_expert_columns_together(all, y, columns, results_per_column, expert_step, expert_of);
  const Group group(matvec_group(all.a.terms, sizeof(T)));
  const u64 step = static_cast<u64>(grid_size()) * group.count;
  for (u64 first = static_cast<u64>(block_index()) * group.count; first < results; first += step) {
    const u64 index = first + group.index;
    const bool mine = group.index < group.count && index < results;
    F sum = 0;
    if (mine) {
      const u64 v = index / rows;
      const i64 expert = expert_of(v);
      if (expert >= 0) {
        const T* const a[1] = {all.a.data + expert * expert_step +
                               static_cast<i64>(index % rows) * all.a.row_stride};
        const f32* const x = all.b.data + v / results_per_column * all.a.terms;
        sum = is_aligned<width>(a[0]) && is_aligned<width>(x)
                  ? dots<width>(a, x, all.a.terms, group.rank, group.size).at[0]
                  : strided_dot(a[0], 1, x, 1, all.a.terms, group.rank, group.size);
      }
    }
    sum = group_reduce(group, sum, [](F p, F q) KG_INLINE { return p + q; });
    if (mine && group.rank == 0) y[index] = sum;
  }
}

/// One thread per result, for block sizes that the tiles do not support.
template <class T>
KG_DEVICE void multiply_expert_tiles_singly(const ExpertTiles<T>& all, u64 tile_count) {
  const u64 rows = all.first.b.rows, tile = expert_tile_columns * rows;
  for_each_index(tile_count * tile, [&](u64 index) KG_INLINE {
    const u64 t = index / tile, column = index % tile / rows;
    if (column >= all.count(t)) return;
    const MatrixPair<T> x = all.operands(t, all.expert(t), all.count(t));
    const T *const a = x.a.data + static_cast<i64>(column) * x.a.row_stride, *const b = x.b.data +
                                                                                        static_cast<i64>(
                                                                                            index % rows) *
                                                                                            x.b.row_stride;
    f32 total = 0;
    for (u64 begin = 0; begin < x.a.terms; begin += matmul_chunk) {
      const u64 end = x.a.terms - begin < matmul_chunk ? x.a.terms : begin + matmul_chunk;
      f32 part = 0;
      for (u64 i = begin; i < end; ++i) part = native::fma(widen(a[i]), widen(b[i]), part);
      total += part;
    }
    all.y[index] = total;
  });
}

template <class T>
KG_DEVICE void multiply_expert_tiles(const ExpertTiles<T>& given, u64 tile_count) {
  using Tile = typename ProductTiles<T>::Tile;
  if (block_size() != block_threads) return multiply_expert_tiles_singly(given, tile_count);
  KG_SHARED typename ProductTiles<T>::Shared shared;
  KG_SHARED ArgsInLds<ExpertTiles<T>> shared_args;
  store_args(shared_args, given);
  const u64 across = (given.first.b.rows + Tile::columns - 1) / Tile::columns;
  const u64 pieces = (expert_tile_columns + Tile::rows - 1) / Tile::rows * across;
  for (u64 index = block_index(); index < tile_count * pieces; index += grid_size()) {
    const u64 tile = index / pieces, piece = index - tile * pieces;
    ExpertTiles<T> all = load_args(shared_args, given);
    native::in_global_memory(all.first.a.data, all.first.b.data, all.y);
    const u64 row = piece / across * Tile::rows;
    const u32 count = native::first_lane(all.count(tile)), expert = native::first_lane(all.expert(tile));
    if (row >= count) continue;
    ProductTiles<T>::multiply(all.operands(tile, expert, count), all.results(tile), row,
                              piece % across * Tile::columns, shared);
  }
}

}  // namespace kg::detail
