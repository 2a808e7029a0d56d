#pragma once
/// Matrix products on CPUs: packed panels that stay in the caches, and a tile of results in registers (Goto
/// and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008).
#include "engines/grid_stride.hpp"
#include "engines/panel_cpu.hpp"
#include "matmul/matrix_vector.hpp"
#include "matmul/results.hpp"

namespace kg::detail {

KG_DEVICE u32 round_up(u64 x, u32 unit) { return static_cast<u32>((x + unit - 1) / unit * unit); }

/// The tile side, at most `most`, that divides `extent` into tiles of similar size.
KG_DEVICE u32 even_tile(u64 extent, u32 most, u32 unit) {
  const u64 tiles = (extent + most - 1) / most;
  return tiles == 0 ? unit : round_up((extent + tiles - 1) / tiles, unit);
}

/// A tile of results.
template <class T, class Out>
struct ResultTile {
  MatrixPair<T> x;
  u64 row, column;
  u32 down, wide;
  Out to;  ///< destination of the first result
  u64 pitch;
  bool is_transposed;  ///< whether `pitch` is the stride of columns instead of rows
};

/// Stores row `i` of a tile's sums, which is a column of the results where the tile is transposed.
template <class T, class Y, class F>
KG_DEVICE void store_sums(const ResultTile<T, Y*>& tile, u32 i, const F* sum) {
  Y line[Blocking<F>::columns];
  Y* const to = tile.is_transposed ? line : tile.to + i * tile.pitch;
  for (u32 j = 0; j < tile.wide; ++j) to[j] = convert<Y>(sum[j]);
  if (tile.is_transposed)
    for (u32 j = 0; j < tile.wide; ++j) tile.to[j * tile.pitch + i] = line[j];
}
template <class T, class Op, class Y, class... X, class F>
KG_DEVICE void store_sums(const ResultTile<T, MappedResults<Op, Y, X...>>& tile, u32 i, const F* sum) {
  if (tile.is_transposed) {
    for (u32 j = 0; j < tile.wide; ++j) {
      const auto at = results_at(tile.to, j, i, tile.pitch);
      *at.y = result_of(at, 0, sum[j]);
    }
  } else {
    const auto at = results_at(tile.to, i, 0, tile.pitch);
    for (u32 j = 0; j < tile.wide; ++j) at.y[j] = result_of(at, j, sum[j]);
  }
}

/// Computes the tile from panels of such terms. Returns false if the terms were not exact for all elements;
/// the results are then invalid.
template <class Terms, class T, class Out>
__attribute__((noinline, min_vector_width(8 * vector_bytes))) bool multiply_tile(
    const ResultTile<T, Out>& tile) {
  using B = Blocking<typename Terms::Sum>;
  struct {
    alignas(64) typename Terms::Word left[B::rows * B::words];
    alignas(64) typename Terms::Word right[B::columns * B::words];
    alignas(64) typename Terms::Sum sum[B::rows][B::columns];
  } work;
  Terms kind;
  constexpr u32 most = B::words * Terms::in_word;
  for (u64 term = 0; term < tile.x.a.terms; term += most) {
    const u32 terms = static_cast<u32>(tile.x.a.terms - term < most ? tile.x.a.terms - term : most);
    const u32 words = (terms + Terms::in_word - 1) / Terms::in_word;
    pack_panels<B::down>(kind, tile.x.a, tile.row, tile.down, term, terms, work.left);
    pack_panels<B::across>(kind, tile.x.b, tile.column, tile.wide, term, terms, work.right);
    for (u32 j = 0; j < tile.wide; j += B::across)
      for (u32 i = 0; i < tile.down; i += B::down)
        multiply_panels<Terms>(work.left + i * words, work.right + j * words, words, &work.sum[i][j],
                               B::columns, term > 0);
  }
  if (!kind.are_right()) return false;
  for (u32 i = 0; i < tile.down; ++i) store_sums(tile, i, work.sum[i]);
  return true;
}

template <class T, class Out, int N>
KG_DEVICE void multiply_tiles(const MatrixPair<T>& all, const Out& y, const Strided<N>& batch) {
  using B = Blocking<widened<T>>;
  // With few columns, transposing uses the register tile's rows better than its vectors.
  const bool is_transposed = all.b.rows <= B::down && all.b.rows < all.a.rows;
  const u64 rows = is_transposed ? all.b.rows : all.a.rows, columns = is_transposed ? all.a.rows : all.b.rows;
  const u32 tile_rows = even_tile(rows, B::rows, B::down),
            tile_columns = even_tile(columns, B::columns, B::across);
  const u64 across = (columns + tile_columns - 1) / tile_columns;
  const u64 slice_tiles = (rows + tile_rows - 1) / tile_rows * across;
  const bool in_pairs = PairedTerms<T>::exist();
  for (u64 index = block_index(); index < slice_tiles * batch.elements; index += grid_size()) {
    const u32 slice = static_cast<u32>(index / slice_tiles);
    const u64 in_slice = index - slice * slice_tiles;
    const u64 row = in_slice / across * tile_rows, column = in_slice % across * tile_columns;
    const MatrixPair<T> x = all.slice(batch, slice);
    const ResultTile<T, Out> tile{
        is_transposed ? MatrixPair<T>{x.b, x.a} : x,
        row,
        column,
        static_cast<u32>(rows - row < tile_rows ? rows - row : tile_rows),
        static_cast<u32>(columns - column < tile_columns ? columns - column : tile_columns),
        results_at(slice_of(y, slice, rows * columns, batch), is_transposed ? column : row,
                   is_transposed ? row : column, all.b.rows),
        is_transposed ? rows : columns,
        is_transposed};
    if (in_pairs && multiply_tile<PairedTerms<T>>(tile)) continue;
    multiply_tile<WidenedTerms<T>>(tile);
  }
}

/// The sum of `count` products: several vectors of partial sums, then pairwise.
template <class T, class F>
KG_DEVICE F dot(const T* a, const F* x, u32 count) {
  using Vector = typename Blocking<F>::Vector;
  constexpr u32 lanes = Blocking<F>::lanes, vectors = 8;
  Vector sum[vectors];
  KG_UNROLL for (u32 v = 0; v < vectors; ++v) sum[v] = Vector(F(0));
  u32 i = 0;
  for (; i + vectors * lanes <= count; i += vectors * lanes) {
    KG_UNROLL for (u32 v = 0; v < vectors; ++v) sum[v] =
        multiply_add(load_vector(a + i + v * lanes), load_vector(x + i + v * lanes), sum[v]);
  }
  for (; i + lanes <= count; i += lanes)
    sum[0] = multiply_add(load_vector(a + i), load_vector(x + i), sum[0]);
  KG_UNROLL for (u32 half = vectors / 2; half > 0; half /= 2) {
    KG_UNROLL for (u32 v = 0; v < half; ++v) sum[v] += sum[v + half];
  }
  F line[lanes];
  for (u32 l = 0; l < lanes; ++l) line[l] = sum[0][l];
  for (u32 l = 0; i < count; ++i, ++l) line[l] = multiply_add(widen(a[i]), x[i], line[l]);
  KG_UNROLL for (u32 half = lanes / 2; half > 0; half /= 2) {
    KG_UNROLL for (u32 l = 0; l < half; ++l) line[l] += line[l + half];
  }
  return line[0];
}

/// Stores results of a product with a vector.
template <class Y, class F>
KG_DEVICE void store_rows(Y* y, u32 count, const F* total) {
  for (u32 r = 0; r < count; ++r) y[r] = convert<Y>(total[r]);
}
template <class Op, class Y, class... X, class F>
KG_DEVICE void store_rows(const MappedResults<Op, Y, X...>& to, u32 count, const F* total) {
  for (u32 r = 0; r < count; ++r) to.y[r] = result_of(results_at(to, r, 0, 1), 0, total[r]);
}

/// Results of `count` rows, whose terms are contiguous or strided.
template <class T, class X, class Out>
KG_DEVICE void multiply_rows(const MatrixVector<T, X>& x, u64 first, u32 count, const Out& y) {
  using F = widened<T>;
  constexpr u32 chunk = 2048, most = 16;
  alignas(64) F vector[chunk], line[chunk];
  F total[most] = {};
  for (u64 term = 0; term < x.a.terms; term += chunk) {
    const u32 terms = static_cast<u32>(x.a.terms - term < chunk ? x.a.terms - term : chunk);
    for (u32 t = 0; t < terms; ++t) vector[t] = x.b[term + t];
    for (u32 r = 0; r < count; ++r) {
      const T* a =
          x.a.data + static_cast<i64>(first + r) * x.a.row_stride + static_cast<i64>(term) * x.a.term_stride;
      if (x.a.term_stride == 1) {
        total[r] += dot(a, vector, terms);
      } else {
        for (u32 t = 0; t < terms; ++t) line[t] = widen(a[static_cast<i64>(t) * x.a.term_stride]);
        total[r] += dot(line, vector, terms);
      }
    }
  }
  store_rows(y, count, total);
}

/// Results of `count` rows that are contiguous for each term.
template <class T, class X, class Out>
KG_DEVICE void multiply_columns(const MatrixVector<T, X>& x, u64 first, u32 count, const Out& y) {
  using F = widened<T>;
  constexpr u32 chunk = 256, most = 512, lanes = Blocking<F>::lanes;
  alignas(64) F part[most], total[most] = {};
  const T* from = x.a.data + static_cast<i64>(first);
  const auto factor = [&](u64 t) KG_INLINE { return x.b[t]; };
  const auto line = [&](u64 t) KG_INLINE { return from + static_cast<i64>(t) * x.a.term_stride; };
  for (u64 term = 0; term < x.a.terms; term += chunk) {
    const u64 end = x.a.terms - term < chunk ? x.a.terms : term + chunk;
    for (u32 r = 0; r < count; ++r) part[r] = 0;
    for (u64 t = term; t < end; t += 4) {
      const u32 lines = end - t < 4 ? static_cast<u32>(end - t) : 4;
      u32 r = 0;
      if (lines == 4) {
        const T *a0 = line(t), *a1 = line(t + 1), *a2 = line(t + 2), *a3 = line(t + 3);
        // The spans are too short for the hardware prefetcher.
        if (sizeof(T) < 4 && count == most)
          for (u64 ahead = 8; ahead < 12; ++ahead) prefetch(line(t + ahead), most);
        const F x0 = factor(t), x1 = factor(t + 1), x2 = factor(t + 2), x3 = factor(t + 3);
        for (; r + lanes <= count; r += lanes) {
          using Vector = typename Blocking<F>::Vector;
          Vector& sum = *reinterpret_cast<Vector*>(part + r);
          Vector next = multiply_add(load_vector(a0 + r), Vector(x0), sum);
          next = multiply_add(load_vector(a1 + r), Vector(x1), next);
          next = multiply_add(load_vector(a2 + r), Vector(x2), next);
          sum = multiply_add(load_vector(a3 + r), Vector(x3), next);
        }
      }
      for (; r < count; ++r)
        for (u32 l = 0; l < lines; ++l) part[r] = multiply_add(widen(line(t + l)[r]), factor(t + l), part[r]);
    }
    for (u32 r = 0; r < count; ++r) total[r] += part[r];
  }
  store_rows(y, count, total);
}

template <class T, class X, class Out, int N>
KG_DEVICE void multiply_vector(const MatrixVector<T, X>& all, const Out& y, const Strided<N>& batch) {
  const bool by_columns = all.a.row_stride == 1 && all.a.term_stride != 1;
  const u32 strip = by_columns ? 512 : 16;
  const u64 rows = all.a.rows, strips = (rows + strip - 1) / strip;
  for_each_index(strips * batch.elements, [&](u64 index) KG_INLINE {
    const u32 slice = static_cast<u32>(index / strips);
    const u64 first = index % strips * strip;
    const u32 count = static_cast<u32>(rows - first < strip ? rows - first : strip);
    const MatrixVector<T, X> x = all.slice(batch, slice);
    const Out to = results_at(slice_of(y, slice, rows, batch), first, 0, 1);
    if (by_columns)
      multiply_columns(x, first, count, to);
    else
      multiply_rows(x, first, count, to);
  });
}

}  // namespace kg::detail
