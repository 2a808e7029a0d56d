#pragma once
/// Matrix products on GPUs.
#include "abi.hpp"
#include "device/convert.hpp"
#include "device/each.hpp"
#include "device/group.hpp"
#include "device/math.hpp"
#include "device/matrix.hpp"
#include "device/matrix_pair.hpp"
#include "device/pack.hpp"
#include "matmul_shape.hpp"

namespace kg::detail {

/// Terms added up one after another before they join the total: long sums stay as exact as sums of sums.
inline constexpr u32 matmul_chunk = 256;

/// The part of one operand that a block holds: `rows` rows (a's; of b they are its columns) of `depth` terms.
/// load() takes it into registers, store() from there into shared memory, so that the next part is on its way
/// while this one is worked on.
template <class T, u32 rows, u32 depth>
struct Panel {
  static constexpr u32 each = rows * depth / block_threads;
  static constexpr u32 widest = 16 / sizeof(T);
  static constexpr u32 width = widest < each ? widest : each;
  static constexpr u32 packs = each / width;

  Pack<T, width> held[packs];
  const T* at[packs];  ///< where pack p of the first part begins
  u32 present[packs];  ///< elements of a pack that exist as far as the operand's rows go
  u64 terms;
  i64 term_stride, step;  ///< from element to element of a pack
  bool along_terms;       ///< packs run along the terms, else along the rows
  bool whole;             ///< packs inside the operand are one access

  KG_DEVICE Panel(const Matrix<T>& x, u64 first_row)
      : terms(x.terms), term_stride(x.term_stride), along_terms(x.row_stride != 1) {
    step = along_terms ? x.term_stride : x.row_stride;
    const i64 other = along_terms ? x.row_stride : x.term_stride;
    whole = step == 1 && is_aligned<width>(x.data) && (other & (width - 1)) == 0;
    const u32 rows_left = at_most(x.rows - first_row, rows);
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      at[p] = x.data + static_cast<i64>(first_row + row(p)) * x.row_stride + term(p) * x.term_stride;
      const u32 left = row(p) < rows_left ? rows_left - row(p) : 0;
      present[p] = left != 0 && along_terms ? width : left < width ? left : width;
    }
  }

  /// First row and term of pack p, inside the panel.
  KG_DEVICE u32 row(u32 p) const {
    const u32 e = (p * block_threads + thread_index()) * width;
    return along_terms ? e / depth : e % rows;
  }
  KG_DEVICE u32 term(u32 p) const {
    const u32 e = (p * block_threads + thread_index()) * width;
    return along_terms ? e % depth : e / rows;
  }

  KG_DEVICE void load(u64 first_term) {
    const u32 terms_left = at_most(terms - first_term, depth);
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const T* from = at[p] + static_cast<i64>(first_term) * term_stride;
      const u32 in_terms = term(p) >= terms_left ? 0 : along_terms ? terms_left - term(p) : width;
      const u32 left = in_terms < present[p] ? in_terms : present[p];
      if (whole && left == width) {
        held[p] = load_pack<width>(from);
      } else {
        held[p] = {};
        if (left == 0) continue;
        // The last element again instead of what is missing, then zeros over it: a condition an element would
        // take more scalar registers than there are.
        KG_UNROLL for (u32 e = 0; e < width; ++e) held[p].set(
            static_cast<int>(e), from[static_cast<i64>(e < left ? e : left - 1) * step]);
        KG_UNROLL for (int w = 0; w < Pack<T, width>::words; ++w) held[p].word[w] &=
            low_bits(static_cast<i32>(left * sizeof(T) * 8) - 32 * w);
      }
    }
  }

  /// Calls put(row, term, element) for each.
  template <class Put>
  KG_DEVICE void store(Put put) const {
    if (along_terms)
      store_packs([&](u32 p, u32 e, T value) KG_INLINE { put(row(p), term(p) + e, value); });
    else
      store_packs([&](u32 p, u32 e, T value) KG_INLINE { put(row(p) + e, term(p), value); });
  }

 private:
  /// The `count` lowest bits; none for less than 1, all from 32 on.
  static KG_DEVICE u32 low_bits(i32 count) {
    const i32 within = count < 0 ? 0 : count > 32 ? 32 : count;
    return static_cast<u32>((u64(1) << within) - 1);
  }
  static KG_DEVICE u32 at_most(u64 x, u32 most) { return x < most ? static_cast<u32>(x) : most; }

  template <class Put>
  KG_DEVICE void store_packs(Put put) const {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      KG_UNROLL for (u32 e = 0; e < width; ++e) put(p, e, held[p].get(static_cast<int>(e)));
    }
  }
};

template <class S, class T>
KG_DEVICE S to_multiplied(T x) {
  if constexpr (same<S, T>)
    return x;
  else
    return convert<S>(widen(x));
}

/// A tile by fused multiply-adds: a thread computes `down` by `across` results, in groups of four neighbours
/// so that its operands are read 16 bytes at a time.
template <class T>
struct FmaTile {
  using S = widened<T>;
  static constexpr u32 depth = 16;
  static constexpr u32 down = sizeof(S) == 4 ? 8 : 4, across = 4;
  static constexpr u32 rows = 16 * down, columns = 16 * across;
  static constexpr u32 padding = 16 / sizeof(S);

  struct Shared {
    alignas(16) S left[depth][rows + padding];
    alignas(16) S right[depth][columns + padding];
  };

  S part[down][across] = {}, total[down][across] = {};

  static KG_DEVICE void put_left(Shared& shared, u32 row, u32 term, T x) {
    shared.left[term][row] = widen(x);
  }
  static KG_DEVICE void put_right(Shared& shared, u32 column, u32 term, T x) {
    shared.right[term][column] = widen(x);
  }
  /// Inside the tile: fours of neighbours, 64 apart.
  static KG_DEVICE u32 place(u32 thread, u32 i) { return i / 4 * 64 + thread * 4 + i % 4; }

  KG_DEVICE void multiply(const Shared& shared) {
    const u32 y = thread_index() / 16, x = thread_index() % 16;
    KG_UNROLL for (u32 t = 0; t < depth; ++t) {
      S a[down], b[across];
      KG_UNROLL for (u32 i = 0; i < down; ++i) a[i] = shared.left[t][place(y, i)];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] = shared.right[t][place(x, j)];
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        KG_UNROLL for (u32 j = 0; j < across; ++j) part[i][j] = native::fma(a[i], b[j], part[i][j]);
      }
    }
  }
  KG_DEVICE void flush() {
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        total[i][j] += part[i][j];
        part[i][j] = 0;
      }
    }
  }
  /// Calls put(row, column, sum) for each result of this thread.
  template <class Put>
  KG_DEVICE void results(Put put) const {
    const u32 y = thread_index() / 16, x = thread_index() % 16;
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) put(place(y, i), place(x, j), total[i][j]);
    }
  }
};

/// A tile by matrix instructions, cut over the block's waves.
template <class T>
struct UnitTile {
  using S = multiplied<T>;
  using Unit = MatrixUnit<S>;
  static constexpr u32 depth = sizeof(S) == 2 ? 32 : 16;
  static constexpr u32 rows = Unit::tile_rows, columns = Unit::tile_columns;
  static constexpr u32 waves = block_threads / Unit::lanes;
  static constexpr u32 waves_down = waves / 2, waves_across = 2;
  static constexpr u32 down = rows / waves_down / 16, across = columns / waves_across / 16;
  static constexpr u32 pitch = depth + 16 / sizeof(S);

  struct Shared {
    alignas(16) S left[rows][pitch];
    alignas(16) S right[columns][pitch];
  };

  typename Unit::Sum part[down][across] = {}, total[down][across] = {};

  static KG_DEVICE void put_left(Shared& shared, u32 row, u32 term, T x) {
    shared.left[row][term] = to_multiplied<S>(x);
  }
  static KG_DEVICE void put_right(Shared& shared, u32 column, u32 term, T x) {
    shared.right[column][term] = to_multiplied<S>(x);
  }
  static KG_DEVICE u32 first_row() { return thread_index() / Unit::lanes / waves_across * (down * 16); }
  static KG_DEVICE u32 first_column() { return thread_index() / Unit::lanes % waves_across * (across * 16); }

  KG_DEVICE void multiply(const Shared& shared) {
    const u32 row = first_row(), column = first_column();
    KG_UNROLL for (u32 t = 0; t < depth; t += Unit::depth) {
      typename Unit::Side b[across];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] =
          Unit::load_right(&shared.right[column + 16 * j][t], pitch);
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        const typename Unit::Side a = Unit::load_left(&shared.left[row + 16 * i][t], pitch);
        KG_UNROLL for (u32 j = 0; j < across; ++j) part[i][j] = Unit::multiply(a, b[j], part[i][j]);
      }
    }
  }
  KG_DEVICE void flush() {
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        KG_UNROLL for (int e = 0; e < Unit::results; ++e) total[i][j][e] += part[i][j][e];
        part[i][j] = {};
      }
    }
  }
  template <class Put>
  KG_DEVICE void results(Put put) const {
    const u32 row = first_row(), column = first_column();
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        KG_UNROLL for (int e = 0; e < Unit::results; ++e)
            put(row + 16 * i + Unit::row(e), column + 16 * j + Unit::column(e), total[i][j][e]);
      }
    }
  }
};

template <class T, bool by_unit>
struct ChosenTile {
  using type = FmaTile<T>;
};
template <class T>
struct ChosenTile<T, true> {
  using type = UnitTile<T>;
};

/// One thread a result: for blocks that are not of the size the tiles are cut for.
template <class T>
KG_DEVICE void multiply_singly(const MatrixPair<T>& all, T* y, const Strided<2>& batch) {
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
    y[index] = convert<T>(total);
  });
}

template <class T>
KG_DEVICE void multiply_tiles(const MatrixPair<T>& all, T* y, const Strided<2>& batch) {
  using Tile = typename ChosenTile<T, MatrixUnit<multiplied<T>>::exists>::type;
  if (block_size() != block_threads) return multiply_singly(all, y, batch);
  KG_SHARED typename Tile::Shared shared;
  const u64 rows = all.a.rows, columns = all.b.rows, terms = all.a.terms;
  const u64 across = (columns + Tile::columns - 1) / Tile::columns;
  const u64 slice_tiles = (rows + Tile::rows - 1) / Tile::rows * across;
  for (u64 index = block_index(); index < slice_tiles * batch.elements; index += grid_size()) {
    const u32 slice = static_cast<u32>(index / slice_tiles);
    const u64 in_slice = index - slice * slice_tiles;
    const u64 first_row = in_slice / across * Tile::rows, first_column = in_slice % across * Tile::columns;
    const MatrixPair<T> x = all.slice(batch, slice);
    Panel<T, Tile::rows, Tile::depth> left(x.a, first_row);
    Panel<T, Tile::columns, Tile::depth> right(x.b, first_column);
    Tile tile;
    left.load(0);
    right.load(0);
    for (u64 t = 0; t < terms; t += Tile::depth) {
      sync();  // of the part before everyone has read
      left.store([&](u32 row, u32 term, T value) KG_INLINE { Tile::put_left(shared, row, term, value); });
      right.store([&](u32 column, u32 term, T value)
                      KG_INLINE { Tile::put_right(shared, column, term, value); });
      sync();
      if (t + Tile::depth < terms) {
        left.load(t + Tile::depth);
        right.load(t + Tile::depth);
      }
      tile.multiply(shared);
      if ((t + Tile::depth) % matmul_chunk == 0) tile.flush();
    }
    tile.flush();
    T* to = y + slice * (rows * columns);
    tile.results([&](u32 i, u32 j, auto sum) KG_INLINE {
      const u64 row = first_row + i, column = first_column + j;
      if (row < rows && column < columns) to[row * columns + column] = convert<T>(sum);
    });
  }
}

/// This thread's part of a sum: terms rank, rank + size, … of packs of W.
template <class T, int W>
KG_DEVICE widened<T> dot(const T* a, i64 a_step, const T* x, i64 x_step, u64 terms, u32 rank, u32 size) {
  using F = widened<T>;
  F total = 0;
  const u64 stride = static_cast<u64>(size) * W, chunk = stride * 32;
  for (u64 first = static_cast<u64>(rank) * W; first < terms; first += chunk) {
    const u64 end = terms - first < chunk ? terms : first + chunk;
    F part = 0;
    for (u64 t = first; t < end; t += stride) {
      if constexpr (W == 1) {
        part =
            native::fma(widen(a[static_cast<i64>(t) * a_step]), widen(x[static_cast<i64>(t) * x_step]), part);
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
