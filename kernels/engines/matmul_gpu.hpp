#pragma once
/// Matrix products on GPUs.
#include "device/group.hpp"
#include "engines/each.hpp"
#include "engines/matrix_tile_gpu.hpp"
#include "plan/matmul.hpp"

namespace kg::detail {

/// One thread a result: for blocks that are not of the size the tiles are cut for.
template <class T, class Y>
KG_DEVICE void multiply_singly(const MatrixPair<T>& all, Y* y, const Strided<2>& batch) {
  using F = widened<T>;
  const u64 slice = all.a.rows * all.b.rows;
  for_each_index(slice * batch.elements, [&](u64 index) KG_INLINE {
    const MatrixPair<T> x = all.slice(batch, static_cast<u32>(index / slice));
    const T* a = x.a.data + static_cast<i64>(index % slice / x.b.rows) * x.a.row_stride;
    const T* b = x.b.data + static_cast<i64>(index % x.b.rows) * x.b.row_stride;
    F total = 0;
    for (u64 first = 0; first < x.a.terms; first += matmul_chunk) {
      const u64 end = x.a.terms - first < matmul_chunk ? x.a.terms : first + matmul_chunk;
      F part = 0;
      for (u64 t = first; t < end; ++t)
        part = native::fma(widen(a[static_cast<i64>(t) * x.a.term_stride]),
                           widen(b[static_cast<i64>(t) * x.b.term_stride]), part);
      total += part;
    }
    y[index] = convert<Y>(total);
  });
}

/// One tile of a slice, from its first row and column on. How the panels lie in shared memory.
template <class Tile, bool whole, bool left_by_terms, bool right_by_terms, class T, class Y>
KG_DEVICE void multiply_tile(const MatrixPair<T>& x, Y* y, u64 first_row, u64 first_column,
                             typename Tile::Stages& stages) {
  using Left = MatrixPanel<T, typename Tile::S, Tile::rows, Tile::depth, left_by_terms, whole>;
  using Right = MatrixPanel<T, typename Tile::S, Tile::columns, Tile::depth, right_by_terms, whole>;
  const u64 rows = x.a.rows, columns = x.b.rows;
  // A tile that transposes is given panels as they come.
  constexpr bool as_they_come = whole && Tile::transposes;
  Left left(x.a, first_row, as_they_come ? left_by_terms : x.a.row_stride != 1);
  Right right(x.b, first_column, as_they_come ? right_by_terms : x.b.row_stride != 1);
  Tile tile;
  sum_tile(tile, left, right, x.a.terms, stages);
  tile.results([&](u32 i, u32 j, auto sum) KG_INLINE {
    const u64 row = first_row + i, column = first_column + j;
    if (row < rows && column < columns) y[row * columns + column] = convert<Y>(sum);
  });
}

template <class T, class Y>
KG_DEVICE void multiply_tiles(const MatrixPair<T>& all, Y* y, const Strided<2>& batch) {
  using Unit = MatrixUnit<multiplied<T>>;
  using Tile = typename ProductTile<T, Unit::tile_rows, Unit::tile_columns, true>::type;
  using QuickTile = typename ProductTile<T, Unit::tile_rows, Unit::tile_columns, false>::type;
  static_assert(Tile::rows >= matmul_tile && Tile::columns >= matmul_tile,
                "the grid is made for tiles no smaller");
  constexpr bool by_terms = Tile::by_terms;
  if (block_size() != block_threads) return multiply_singly(all, y, batch);
  KG_SHARED typename Tile::Stages stages;
  const u64 rows = all.a.rows, columns = all.b.rows;
  const u64 across = (columns + Tile::columns - 1) / Tile::columns;
  const u64 slice_tiles = (rows + Tile::rows - 1) / Tile::rows * across;
  for (u64 index = block_index(); index < slice_tiles * batch.elements; index += grid_size()) {
    const u32 slice = static_cast<u32>(index / slice_tiles);
    const u64 in_slice = index - slice * slice_tiles;
    const u64 first_row = in_slice / across * Tile::rows, first_column = in_slice % across * Tile::columns;
    const MatrixPair<T> x = all.slice(batch, slice);
    Y* to = y + slice * (rows * columns);
    if constexpr (Tile::transposes) {
      const bool is_short = !is_narrow_float<T> || x.a.terms <= short_sum;
      if (is_short && is_whole<Tile::rows, Tile>(x.a) && is_whole<Tile::columns, Tile>(x.b)) {
        const bool left = x.a.row_stride != 1, right = x.b.row_stride != 1;
        if (left && right)
          multiply_tile<QuickTile, true, true, true>(x, to, first_row, first_column, stages);
        else if (left)
          multiply_tile<QuickTile, true, true, false>(x, to, first_row, first_column, stages);
        else if (right)
          multiply_tile<QuickTile, true, false, true>(x, to, first_row, first_column, stages);
        else
          multiply_tile<QuickTile, true, false, false>(x, to, first_row, first_column, stages);
        continue;
      }
    }
    multiply_tile<Tile, false, by_terms, by_terms>(x, to, first_row, first_column, stages);
  }
}

/// This thread's part of a sum: terms rank, rank + size, … of packs of W.
template <class T, int W>
KG_DEVICE widened<T> dot(const T* a, i64 a_step, const T* x, i64 x_step, u64 terms, u32 rank, u32 size) {
  using F = widened<T>;
  F total = 0;
  const u64 stride = static_cast<u64>(size) * W, chunk = stride * 32;
  // Single elements, several under way at a time; the last stands in for those that are not there.
  constexpr u32 together = W == 1 ? loads_in_flight : 1;
  for (u64 first = static_cast<u64>(rank) * W; first < terms; first += chunk) {
    const u64 end = terms - first < chunk ? terms : first + chunk;
    F part = 0;
    for (u64 t = first; t < end; t += together * stride) {
      if constexpr (W == 1) {
        T p[together], q[together];
        KG_UNROLL for (u32 k = 0; k < together; ++k) {
          const auto at = static_cast<i64>(t + k * stride < end ? t + k * stride : end - 1);
          p[k] = a[at * a_step];
          q[k] = x[at * x_step];
        }
        KG_UNROLL for (u32 k = 0; k < together; ++k) {
          const F sum = native::fma(widen(p[k]), widen(q[k]), part);
          part = t + k * stride < end ? sum : part;
        }
      } else if (t + W <= terms) {
        const Pack<T, W> p = load_pack<W>(a + t), q = load_pack<W>(x + t);
        KG_UNROLL for (int e = 0; e < W; ++e) part = native::fma(widen(p.get(e)), widen(q.get(e)), part);
      } else {
        for (u64 e = t; e < terms; ++e) part = native::fma(widen(a[e]), widen(x[e]), part);
      }
    }
    total += part;
  }
  return total;
}

/// A group of threads a result.
template <class T>
KG_DEVICE void multiply_vector_by_rows(const MatrixPair<T>& all, T* y, const Strided<2>& batch) {
  using F = widened<T>;
  constexpr int width = 16 / sizeof(T);
  const Group group(matvec_group(all.a.terms, sizeof(T)));
  const u64 rows = all.a.rows, results = rows * batch.elements;
  const u64 step = static_cast<u64>(grid_size()) * group.count;
  for (u64 first = static_cast<u64>(block_index()) * group.count; first < results; first += step) {
    const u64 index = first + group.index;
    const bool mine = group.index < group.count && index < results;
    F sum = 0;
    if (mine) {
      const MatrixPair<T> x = all.slice(batch, static_cast<u32>(index / rows));
      const T* a = x.a.data + static_cast<i64>(index % rows) * x.a.row_stride;
      const bool whole =
          x.a.term_stride == 1 && x.b.term_stride == 1 && is_aligned<width>(a) && is_aligned<width>(x.b.data);
      sum = whole
                ? dot<T, width>(a, 1, x.b.data, 1, x.a.terms, group.rank, group.size)
                : dot<T, 1>(a, x.a.term_stride, x.b.data, x.b.term_stride, x.a.terms, group.rank, group.size);
    }
    sum = group_reduce(group, sum, [](F p, F q) KG_INLINE { return p + q; });
    if (mine && group.rank == 0) y[index] = convert<T>(sum);
  }
}

/// Neighbouring threads take neighbouring results, since those lie side by side in the matrix; the block's
/// other threads take other terms of the same results.
template <class T>
KG_DEVICE void multiply_vector_by_terms(const MatrixPair<T>& all, T* y, const Strided<2>& batch) {
  using F = widened<T>;
  // The most shares a block of 1024 threads has, each a line of sums.
  KG_SHARED F sums[1024];
  const u32 width = block_size() < matvec_strip ? block_size() : matvec_strip;
  const u32 shares = block_size() / width, share = thread_index() / width, line = thread_index() % width;
  const u64 rows = all.a.rows, strips = (rows + width - 1) / width;
  for (u64 strip = block_index(); strip < strips * batch.elements; strip += grid_size()) {
    const u32 slice = static_cast<u32>(strip / strips);
    const u64 row = strip % strips * width + line;
    const MatrixPair<T> x = all.slice(batch, slice);
    F sum = 0;
    if (row < rows && share < shares)
      sum = dot<T, 1>(x.a.data + static_cast<i64>(row) * x.a.row_stride, x.a.term_stride, x.b.data,
                      x.b.term_stride, x.a.terms, share, shares);
    sync();  // of the strip before everyone has read
    sums[thread_index()] = sum;
    sync();
    if (share == 0 && row < rows) {
      for (u32 s = 1; s < shares; ++s) sum += sums[s * width + line];
      y[slice * rows + row] = convert<T>(sum);
    }
  }
}

template <class T>
KG_DEVICE void multiply_vector(const MatrixPair<T>& all, T* y, const Strided<2>& batch) {
  if (all.a.row_stride == 1 && all.a.term_stride != 1)
    multiply_vector_by_terms(all, y, batch);
  else
    multiply_vector_by_rows(all, y, batch);
}

}  // namespace kg::detail
