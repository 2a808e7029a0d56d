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

/// Part of a tile, from result (row, column) on.
template <class T, class Out>
KG_DEVICE ResultTile<T, Out> part_of(const ResultTile<T, Out>& tile, u32 row, u32 column, u32 down,
                                     u32 wide) {
  ResultTile<T, Out> part = tile;
  part.to =
      results_at(tile.to, tile.is_transposed ? column : row, tile.is_transposed ? row : column, tile.pitch);
  part.down = tile.down - row < down ? tile.down - row : down;
  part.wide = tile.wide - column < wide ? tile.wide - column : wide;
  return part;
}

/// Computes the tile from panels of such terms. Returns false if the terms were not exact for all elements;
/// nothing is stored then.
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
  const auto pack = [&](u64 term, u32 terms) KG_INLINE {
    pack_panels<B::down>(kind, tile.x.a, tile.row, tile.down, term, terms, work.left);
    pack_panels<B::across>(kind, tile.x.b, tile.column, tile.wide, term, terms, work.right);
  };
  if (tile.x.a.terms <= most) {
    const u32 terms = static_cast<u32>(tile.x.a.terms), words = (terms + Terms::in_word - 1) / Terms::in_word;
    pack(0, terms);
    if (!kind.are_right()) return false;
    // Sums of one register tile stay in L1, and their results are stored in the order of rows.
    for (u32 i = 0; i < tile.down; i += B::down)
      for (u32 j = 0; j < tile.wide; j += B::across) {
        multiply_panels<Terms>(work.left + i * words, work.right + j * words, words, work.sum[0], B::columns,
                               false);
        const ResultTile<T, Out> part = part_of(tile, i, j, B::down, B::across);
        for (u32 r = 0; r < part.down; ++r) store_sums(part, r, work.sum[r]);
      }
    return true;
  }
  for (u64 term = 0; term < tile.x.a.terms; term += most) {
    const u32 terms = static_cast<u32>(tile.x.a.terms - term < most ? tile.x.a.terms - term : most);
    const u32 words = (terms + Terms::in_word - 1) / Terms::in_word;
    pack(term, terms);
    for (u32 j = 0; j < tile.wide; j += B::across)
      for (u32 i = 0; i < tile.down; i += B::down)
        multiply_panels<Terms>(work.left + i * words, work.right + j * words, words, &work.sum[i][j],
                               B::columns, term > 0);
  }
  if (!kind.are_right()) return false;
  for (u32 i = 0; i < tile.down; ++i) store_sums(tile, i, work.sum[i]);
  return true;
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

/// How results of a product with a vector are stored: as a row of a matrix of `columns`, or part of a column.
struct ResultLine {
  u64 columns = 1;
  bool is_row = false;
};

template <class Out, class F>
KG_DEVICE void store_line(const Out& to, const ResultLine& line, u32 count, const F* total) {
  for (u32 r = 0; r < count; ++r) {
    const auto at = results_at(to, line.is_row ? 0 : r, line.is_row ? r : 0, line.columns);
    *address_of(at) = result_of(at, 0, total[r]);
  }
}

/// Results of `count` rows, whose terms are contiguous or strided.
template <class T, class X, class Out>
KG_DEVICE void multiply_rows(const MatrixVector<T, X>& x, u64 first, u32 count, const Out& y,
                             const ResultLine& result_line = {}) {
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
  store_line(y, result_line, count, total);
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
  store_line(y, {}, count, total);
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

/// Whether results are so few that a register tile would be mostly padding, and transposing contiguous terms for
/// it would take longer than multiplying them.
template <class T>
KG_DEVICE bool is_of_vectors(const Matrix<T>& few, const Matrix<T>& others) {
  return few.rows <= 4 && others.rows <= 16 && others.term_stride == 1 &&
         others.terms >= 4 * Blocking<widened<T>>::lanes;
}

/// The products of such slices, a vector for each row of a; or of b, whose results are columns.
template <class T, class Out, int N>
KG_DEVICE void multiply_vectors(const MatrixPair<T>& all, bool by_b, const Out& y, const Strided<N>& batch) {
  for_each_index(batch.elements, [&](u64 index) KG_INLINE {
    const MatrixPair<T> x = all.slice(batch, static_cast<u32>(index));
    const Matrix<T>&few = by_b ? x.b : x.a, &others = by_b ? x.a : x.b;
    const Out to = slice_of(y, static_cast<u32>(index), x.a.rows * x.b.rows, batch);
    for (u64 v = 0; v < few.rows; ++v)
      multiply_rows(
          MatrixVector<T, T>{others, {few.data + static_cast<i64>(v) * few.row_stride, few.term_stride}}, 0,
          static_cast<u32>(others.rows), results_at(to, by_b ? 0 : v, by_b ? v : 0, x.b.rows),
          ResultLine{x.b.rows, !by_b});
  });
}

template <class T, class Out, int N>
KG_DEVICE void multiply_tiles(const MatrixPair<T>& all, const Out& y, const Strided<N>& batch) {
  using B = Blocking<widened<T>>;
  if (is_of_vectors(all.a, all.b)) return multiply_vectors(all, false, y, batch);
  if (is_of_vectors(all.b, all.a)) return multiply_vectors(all, true, y, batch);
  // With few columns, transposing uses the register tile's rows better than its vectors.
  const bool is_transposed = all.b.rows <= B::down && all.b.rows < all.a.rows;
  const u64 rows = is_transposed ? all.b.rows : all.a.rows, columns = is_transposed ? all.a.rows : all.b.rows;
  // With few terms, as many columns as the panel has room for: longer spans of results.
  constexpr u32 longest = 2048;
  const u32 terms = all.a.terms < B::words ? round_up(all.a.terms | 1, B::lanes) : B::words;
  const u32 room = B::columns * B::words / terms,
            most_columns = room < longest ? room / B::across * B::across : longest;
  const u32 tile_rows = even_tile(rows, B::rows, B::down),
            tile_columns = even_tile(columns, most_columns, B::across);
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

}  // namespace kg::detail
