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

/// How `rows` rows of `depth` terms lie in shared memory: as lines of neighbouring terms, or as lines of
/// neighbouring rows. Lines are a little longer than they need be: else many would begin in one bank.
template <class S, u32 rows, u32 depth, bool by_terms>
struct PanelLayout {
  static constexpr u32 padding = 16 / sizeof(S);
  static constexpr u32 row_step = by_terms ? depth + padding : 1;
  static constexpr u32 term_step = by_terms ? 1 : rows + padding;
  static constexpr u32 elements = by_terms ? rows * row_step : depth * term_step;
};

template <class S, class T>
KG_DEVICE S to_multiplied(T x) {
  if constexpr (same<S, T>)
    return x;
  else
    return convert<S>(widen(x));
}

/// Elements of one access of 16 bytes, where a thread's share of a panel has as many.
template <class T>
KG_DEVICE constexpr u32 panel_width(u32 each) {
  constexpr u32 widest = 16 / sizeof(T);
  return widest < each ? widest : each;
}

/// Whether packs along x's neighbours are one access.
template <u32 width, class T>
KG_DEVICE bool has_aligned_packs(const Matrix<T>& x) {
  const bool along_terms = x.row_stride != 1;
  const i64 step = along_terms ? x.term_stride : x.row_stride,
            line = along_terms ? x.row_stride : x.term_stride;
  return step == 1 && is_aligned<width>(x.data) && (line & (width - 1)) == 0;
}

/// Whether a tile's accesses of whole packs take in all of x.
template <u32 rows, class Tile, class T>
KG_DEVICE bool is_whole(const Matrix<T>& x) {
  constexpr u32 width = panel_width<T>(rows * Tile::depth / block_threads);
  return has_aligned_packs<width>(x) && ((x.row_stride != 1 ? x.terms : x.rows) & (width - 1)) == 0;
}

/// The part of one operand that a tile takes at a time: `rows` rows (a's; of b they are its columns) of `depth`
/// terms. load() takes the next one into registers, store() puts it into shared memory, so that a part is on its
/// way while the one before is worked on. Where accesses are `whole`, each takes in one pack or nothing.
template <class T, class S, u32 rows, u32 depth, bool by_terms, bool whole>
struct Panel {
  static constexpr u32 each = rows * depth / block_threads;
  static constexpr u32 width = panel_width<T>(each);
  static constexpr u32 packs = each / width;
  using Layout = PanelLayout<S, rows, depth, by_terms>;

  bool along_terms;            ///< packs run along the terms, else along the rows
  bool aligned;                ///< packs inside the operand are one access
  u32 place, line, line_step;  ///< of this thread's first pack along its line; its line; from pack to pack
  i64 step, pack_step;         ///< from element to element of a pack; from pack to pack
  i64 part_step;
  u32 rows_left;   ///< from the panel's first on
  u64 terms_left;  ///< from the next part on
  const T* at;     ///< where the first pack of it begins
  Pack<T, width> held[packs];

  KG_DEVICE Panel(const Matrix<T>& x, u64 first_row, bool along_terms)
      : along_terms(along_terms), aligned(has_aligned_packs<width>(x)), terms_left(x.terms) {
    const u32 length = along_terms ? depth : rows, thread = thread_index();
    if (along_terms == by_terms) {
      place = thread * width % length;
      line = thread * width / length;
      line_step = block_threads * width / length;
    } else {
      // A thread's packs lie side by side, so that what it holds crosswise is a pack too.
      const u32 groups = (along_terms ? rows : depth) / packs;
      place = along_terms ? thread * width % length : thread / groups * width;
      line = (along_terms ? thread * width / length : thread % groups) * packs;
      line_step = 1;
    }
    step = along_terms ? x.term_stride : x.row_stride;
    pack_step = line_step * (along_terms ? x.row_stride : x.term_stride);
    part_step = static_cast<i64>(depth) * x.term_stride;
    rows_left = at_most(x.rows - first_row, rows);
    at = x.data + static_cast<i64>(first_row + row(0)) * x.row_stride + term(0) * x.term_stride;
  }

  /// First row and term of pack p.
  KG_DEVICE u32 row(u32 p) const { return along_terms ? line + p * line_step : place; }
  KG_DEVICE u32 term(u32 p) const { return along_terms ? place : line + p * line_step; }

  KG_DEVICE void load() {
    const u32 terms = at_most(terms_left, depth);
    terms_left -= terms;
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const T* from = at + p * pack_step;
      const u32 in_rows = row(p) < rows_left ? rows_left - row(p) : 0;
      const u32 in_terms = term(p) < terms ? terms - term(p) : 0;
      if constexpr (whole) {
        held[p] = {};
        if (in_rows != 0 && in_terms != 0) held[p] = load_pack<width>(from);
      } else {
        const u32 along = along_terms ? in_terms : in_rows, across = along_terms ? in_rows : in_terms;
        const u32 left = across == 0 ? 0 : along < width ? along : width;
        if (left == width && aligned) {
          held[p] = load_pack<width>(from);
          continue;
        }
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
    at += part_step;
  }

  KG_DEVICE void store(S* to) const {
    S* first = to + row(0) * Layout::row_step + term(0) * Layout::term_step;
    const u32 across = line_step * (along_terms ? Layout::row_step : Layout::term_step);
    if (along_terms == by_terms) {
      KG_UNROLL for (u32 p = 0; p < packs; ++p) {
        Pack<S, width> pack{};
        KG_UNROLL for (u32 e = 0; e < width; ++e) pack.set(static_cast<int>(e), element<S>(p, e));
        store_pack(first + p * across, pack);
      }
    } else {
      const u32 along = along_terms ? Layout::term_step : Layout::row_step;
      KG_UNROLL for (u32 e = 0; e < width; ++e) {
        Pack<S, packs> pack{};
        KG_UNROLL for (u32 p = 0; p < packs; ++p) pack.set(static_cast<int>(p), element<S>(p, e));
        store_pack(first + e * along, pack);
      }
    }
  }

 private:
  /// The `count` lowest bits; none for less than 1, all from 32 on.
  static KG_DEVICE u32 low_bits(i32 count) {
    const i32 within = count < 0 ? 0 : count > 32 ? 32 : count;
    return static_cast<u32>((u64(1) << within) - 1);
  }
  static KG_DEVICE u32 at_most(u64 x, u32 most) { return x < most ? static_cast<u32>(x) : most; }
  template <class Wanted>
  KG_DEVICE Wanted element(u32 p, u32 e) const {
    return to_multiplied<Wanted>(held[p].get(static_cast<int>(e)));
  }
};

/// A tile by fused multiply-adds: a thread computes `down` by `across` results, in groups of four neighbours
/// so that its operands are read 16 bytes at a time.
template <class T>
struct FmaTile {
  using S = widened<T>;
  static constexpr u32 depth = 16;
  static constexpr u32 down = sizeof(S) == 4 ? 8 : 4, across = 4;
  static constexpr u32 rows = 16 * down, columns = 16 * across;

  S part[down][across] = {}, total[down][across] = {};

  static constexpr bool by_terms = false, transposes = false;
  /// Inside the tile: fours of neighbours, 64 apart.
  static KG_DEVICE u32 place(u32 thread, u32 i) { return i / 4 * 64 + thread * 4 + i % 4; }

  template <class Left, class Right>
  KG_DEVICE void multiply(const S* left, const S* right) {
    const u32 y = thread_index() / 16, x = thread_index() % 16;
    KG_UNROLL for (u32 t = 0; t < depth; ++t) {
      S a[down], b[across];
      KG_UNROLL for (u32 i = 0; i < down; ++i) a[i] = left[t * Left::term_step + place(y, i)];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] = right[t * Right::term_step + place(x, j)];
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
  static constexpr u32 waves_across = columns > rows ? 4 : 2, waves_down = waves / waves_across;
  static constexpr u32 down = rows / waves_down / 16, across = columns / waves_across / 16;

  typename Unit::Sum part[down][across] = {}, total[down][across] = {};

  static constexpr bool by_terms = true, transposes = Unit::transposes;
  static KG_DEVICE u32 first_row() { return thread_index() / Unit::lanes / waves_across * (down * 16); }
  static KG_DEVICE u32 first_column() { return thread_index() / Unit::lanes % waves_across * (across * 16); }

  template <class Left, class Right>
  KG_DEVICE void multiply(const S* left, const S* right) {
    left += first_row() * Left::row_step;
    right += first_column() * Right::row_step;
    KG_UNROLL for (u32 t = 0; t < depth; t += Unit::depth) {
      typename Unit::Side b[across];
      KG_UNROLL for (u32 j = 0; j < across; ++j) b[j] =
          Unit::template load<Right>(right + 16 * j * Right::row_step + t * Right::term_step);
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        const typename Unit::Side a =
            Unit::template load<Left>(left + 16 * i * Left::row_step + t * Left::term_step);
        KG_UNROLL for (u32 j = 0; j < across; ++j) part[i][j] = Unit::multiply(a, b[j], part[i][j]);
      }
    }
  }
  /// What a narrow result cannot show needs no sums of sums.
  KG_DEVICE void flush() {
    if constexpr (!is_narrow_float<T>) {
      KG_UNROLL for (u32 i = 0; i < down; ++i) {
        KG_UNROLL for (u32 j = 0; j < across; ++j) {
          KG_UNROLL for (int e = 0; e < Unit::results; ++e) total[i][j][e] += part[i][j][e];
          part[i][j] = {};
        }
      }
    }
  }
  template <class Put>
  KG_DEVICE void results(Put put) const {
    const u32 row = first_row(), column = first_column();
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        const typename Unit::Sum& sum = is_narrow_float<T> ? part[i][j] : total[i][j];
        KG_UNROLL for (int e = 0; e < Unit::results; ++e)
            put(row + 16 * i + Unit::row(e), column + 16 * j + Unit::column(e), sum[e]);
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

template <class Tile>
struct TileStages {
  using S = typename Tile::S;
  alignas(16) S left[panel_stages][PanelLayout<S, Tile::rows, Tile::depth, Tile::by_terms>::elements];
  alignas(16) S right[panel_stages][PanelLayout<S, Tile::columns, Tile::depth, Tile::by_terms>::elements];
};

/// One tile of a slice, from its first row and column on. How the panels lie in shared memory.
template <class Tile, bool whole, bool left_by_terms, bool right_by_terms, class T>
KG_DEVICE void multiply_tile(const MatrixPair<T>& x, T* y, u64 first_row, u64 first_column,
                             TileStages<Tile>& stages) {
  using Left = Panel<T, typename Tile::S, Tile::rows, Tile::depth, left_by_terms, whole>;
  using Right = Panel<T, typename Tile::S, Tile::columns, Tile::depth, right_by_terms, whole>;
  const u64 rows = x.a.rows, columns = x.b.rows, terms = x.a.terms;
  // A tile that transposes is given panels as they come.
  constexpr bool as_they_come = whole && Tile::transposes;
  Left left(x.a, first_row, as_they_come ? left_by_terms : x.a.row_stride != 1);
  Right right(x.b, first_column, as_they_come ? right_by_terms : x.b.row_stride != 1);
  Tile tile;
  left.load();
  right.load();
  u32 stage = 0;
  for (u64 t = 0; t < terms; t += Tile::depth, stage = (stage + 1) % panel_stages) {
    if (panel_stages == 1) sync();  // of the part before everyone has read
    left.store(stages.left[stage]);
    right.store(stages.right[stage]);
    sync();
    if (t + Tile::depth < terms) {
      left.load();
      right.load();
    }
    tile.template multiply<typename Left::Layout, typename Right::Layout>(stages.left[stage],
                                                                          stages.right[stage]);
    if ((t + Tile::depth) % matmul_chunk == 0) tile.flush();
  }
  tile.flush();
  sync();  // the stages serve the next tile
  tile.results([&](u32 i, u32 j, auto sum) KG_INLINE {
    const u64 row = first_row + i, column = first_column + j;
    if (row < rows && column < columns) y[row * columns + column] = convert<T>(sum);
  });
}

template <class T>
KG_DEVICE void multiply_tiles(const MatrixPair<T>& all, T* y, const Strided<2>& batch) {
  using Tile = typename ChosenTile<T, MatrixUnit<multiplied<T>>::exists>::type;
  constexpr bool by_terms = Tile::by_terms;
  if (block_size() != block_threads) return multiply_singly(all, y, batch);
  KG_SHARED TileStages<Tile> stages;
  const u64 rows = all.a.rows, columns = all.b.rows;
  const u64 across = (columns + Tile::columns - 1) / Tile::columns;
  const u64 slice_tiles = (rows + Tile::rows - 1) / Tile::rows * across;
  for (u64 index = block_index(); index < slice_tiles * batch.elements; index += grid_size()) {
    const u32 slice = static_cast<u32>(index / slice_tiles);
    const u64 in_slice = index - slice * slice_tiles;
    const u64 first_row = in_slice / across * Tile::rows, first_column = in_slice % across * Tile::columns;
    const MatrixPair<T> x = all.slice(batch, slice);
    T* to = y + slice * (rows * columns);
    if constexpr (Tile::transposes) {
      if (is_whole<Tile::rows, Tile>(x.a) && is_whole<Tile::columns, Tile>(x.b)) {
        const bool left = x.a.row_stride != 1, right = x.b.row_stride != 1;
        if (left && right)
          multiply_tile<Tile, true, true, true>(x, to, first_row, first_column, stages);
        else if (left)
          multiply_tile<Tile, true, true, false>(x, to, first_row, first_column, stages);
        else if (right)
          multiply_tile<Tile, true, false, true>(x, to, first_row, first_column, stages);
        else
          multiply_tile<Tile, true, false, false>(x, to, first_row, first_column, stages);
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
