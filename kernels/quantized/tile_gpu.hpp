#pragma once
/// Tiles of products of quantized rows with many quantized columns, by matrix instructions of bytes. A block loops
/// over the slices, tile_depth at a time: its threads unpack them to shared memory, where each wave reads 16 rows and all
/// columns. Waves that share rows take different slices, and their sums are added at the end.
#include "device/byte_matrix.hpp"
#include "quantized/product.hpp"

namespace kg::detail {

/// Columns, rows and slices in shared memory at a time.
inline constexpr u32 tile_columns = quantized_tile_columns, tile_rows = quantized_tile_rows,
                     tile_depth = quantized_tile_depth;

/// How a slice of the format is stored in a tile: q - bias as signed bytes, and `count` factors: the scale of each half, then the
/// offset of each half or the second factor of a wide scale. A format without two scales has one factor for both halves.
template <class W>
struct TileSlice {
  using F = BlockFormat<W>;
  static constexpr u32 halves = F::has_two_scales ? 2 : 1;
  static constexpr u32 count = halves + (F::has_offset ? halves : 0) + (F::has_wide_scale ? 1 : 0);
  static_assert(!F::has_wide_scale || (!F::has_offset && halves == 1));

  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, u32 slice, u32 w) {
    const u32 codes = F::word(block, slice, w);
    if constexpr (F::bias == 0) return codes;
    return ((codes | 0x80808080u) - 0x01010101u * F::bias) ^ 0x80808080u;
  }
  /// A thread's part of the factors: of half `half` if there are two, else of both by one thread.
  template <class Bytes>
  static KG_DEVICE void load(const Bytes& block, u32 slice, u32 half, f32 (&factor)[2]) {
    factor[0] = F::scale(block, slice, half % halves);
    if constexpr (F::has_offset) factor[1] = F::offset(block, slice, half % halves);
    if constexpr (F::has_wide_scale) {
      const SplitScale split(factor[0]);
      factor[0] = split.scale;
      factor[1] = split.up;
    }
  }
  /// sum + the product of a slice with a column's slice, of scale d and sums `of_column` by half. As in Slice::add_to, d is
  /// applied last.
  static KG_DEVICE f32 add(f32 sum, const f32 (&dot)[halves], const f32 (&factor)[count], f32 d,
                           const f32 (&of_column)[halves]) {
    if constexpr (F::has_wide_scale) {
      return fma(d * (factor[0] * dot[0]), factor[1], sum);
    } else {
      f32 y = factor[0] * dot[0];
      if constexpr (halves == 2) y = fma(factor[1], dot[1], y);
      if constexpr (F::has_offset) {
        KG_UNROLL for (u32 h = 0; h < halves; ++h) y = fma(factor[halves + h], of_column[h], y);
      }
      return fma(d, y, sum);
    }
  }
};

/// Slices of a tile's rows and columns in shared memory. Against bank conflicts, lines of 8 words are 12 words apart (reads along
/// lines), and slices are offset by 8 banks (writes along slices).
template <class W>
struct TileStage {
  using Product = TileSlice<W>;
  static constexpr u32 line = 12, sums = Product::F::has_offset ? Product::halves : 0;
  /// For MatrixUnit<BytePair>, whose terms are pairs of bytes.
  struct Layout {
    static constexpr u32 row_step = 2 * line, term_step = 1;
  };
  alignas(16) u32 row[tile_depth][tile_rows * line + 8];
  alignas(16) u32 column[tile_depth][tile_columns * line + 8];
  f32 factor[tile_depth][Product::count][tile_rows + 8 / Product::count];
  f32 d[tile_depth][tile_columns + 8];
  f32 sum[tile_depth][sums > 0 ? sums : 1][tile_columns + 8 / (sums > 0 ? sums : 1)];
};

/// A thread's part of the next stage, prefetched into registers.
template <class W>
struct TilePrefetch {
  using Product = TileSlice<W>;
  using F = BlockFormat<W>;
  static constexpr u32 threads = block_threads;
  /// Thread index, fastest first: word, slice, row for the weights; half, slice, row for scales and offsets; slice, column for
  /// the activations.
  static constexpr u32 lines = threads / slice_words / tile_depth, words = tile_rows / lines;
  static constexpr u32 factors = tile_rows * tile_depth * Product::halves / threads;
  static constexpr u32 quads = tile_columns * tile_depth * 2 / threads;
  static_assert(tile_columns * tile_depth == threads);

  u32 word[words];
  f32 factor[factors][2];
  Quad quad[quads];
  f32 d;
  u32 sums;

  static KG_DEVICE u32 thread() { return thread_index(); }
  static KG_DEVICE u32 word_slice() { return thread() / slice_words % tile_depth; }
  static KG_DEVICE u32 word_row(u32 i) { return thread() / slice_words / tile_depth + i * lines; }
  static KG_DEVICE u32 factor_half() { return thread() % Product::halves; }
  static KG_DEVICE u32 factor_slice() { return thread() / Product::halves % tile_depth; }
  static KG_DEVICE u32 factor_row(u32 i) {
    return thread() / Product::halves / tile_depth + i * (threads / Product::halves / tile_depth);
  }
  static KG_DEVICE u32 column_slice() { return thread() % tile_depth; }
  static KG_DEVICE u32 column() { return thread() / tile_depth; }

  /// Slices from `first` on to below `end`, of the tile's rows from `top` on. `columns` are those that are multiplied.
  KG_DEVICE void load(const BlockMatrix<W>& matrix, u32 top, const b8* x_quantized,
                      const u64 (&column_at)[tile_columns], u32 columns, u32 first, u32 end) {
    const auto block_of = [&](u32 row, u32 slice) KG_INLINE {
      // Rows past the end repeat the last one; their results are not stored.
      const u32 r = top + row < matrix.rows ? top + row : matrix.rows - 1;
      return BlockInMemory<block_alignment<W>>{matrix.row(r) + u64{slice / F::slices} * sizeof(W)};
    };
    const auto slice_of = [&](u32 i) KG_INLINE { return first + i < end ? first + i : end - 1; };
    const u32 of_words = slice_of(word_slice()), of_factors = slice_of(factor_slice());
    KG_UNROLL for (u32 i = 0; i < words; ++i) word[i] =
        Product::word(block_of(word_row(i), of_words), of_words % F::slices, thread() % slice_words);
    KG_UNROLL for (u32 i = 0; i < factors; ++i)
        Product::load(block_of(factor_row(i), of_factors), of_factors % F::slices, factor_half(), factor[i]);
    if (column() >= columns) return;
    const u32 slice = slice_of(column_slice());
    const QuantizedColumn x{const_cast<b8*>(x_quantized) + column_at[column()], matrix.slices};
    KG_UNROLL for (u32 h = 0; h < quads; ++h) quad[h] = *reinterpret_cast<const Quad*>(x.words(slice, h));
    d = *x.scale(slice);
    if constexpr (F::has_offset) sums = *reinterpret_cast<const u32*>(x.sums(slice));
  }

  KG_DEVICE void store(TileStage<W>& stage) const {
    constexpr u32 line = TileStage<W>::line;
    KG_UNROLL for (u32 i = 0; i < words; ++i)
        stage.row[word_slice()][word_row(i) * line + thread() % slice_words] = word[i];
    KG_UNROLL for (u32 i = 0; i < factors; ++i) {
      auto& to = stage.factor[factor_slice()];
      to[factor_half()][factor_row(i)] = factor[i][0];
      if constexpr (Product::count > Product::halves)
        to[Product::halves + factor_half()][factor_row(i)] = factor[i][1];
    }
    u32* const at = stage.column[column_slice()] + column() * line;
    KG_UNROLL for (u32 h = 0; h < quads; ++h) reinterpret_cast<Quad*>(at)[h] = quad[h];
    stage.d[column_slice()][column()] = d;
    if constexpr (F::has_offset) {
      const f32 low = static_cast<f32>(static_cast<i16>(sums)),
                high = static_cast<f32>(static_cast<i16>(sums >> 16));
      auto& to = stage.sum[column_slice()];
      if constexpr (Product::halves == 2) {
        to[0][column()] = low;
        to[1][column()] = high;
      } else {
        to[0][column()] = low + high;
      }
    }
  }
};

/// A wave's sums: 16 rows, all columns.
template <class W, class Unit = MatrixUnit<BytePair>>
struct TileSums {
  using Product = TileSlice<W>;
  static constexpr u32 halves = Product::halves, parts = tile_columns / 16, down = tile_rows / 16,
                       waves = block_threads / Unit::lanes, groups = waves / down;
  static constexpr int results = Unit::results;

  f32 sum[parts][results] = {};

  static KG_DEVICE u32 wave() { return thread_index() / Unit::lanes; }
  static KG_DEVICE u32 top() { return wave() % down * 16; }
  static KG_DEVICE u32 group() { return wave() / down; }

  KG_DEVICE void add(const TileStage<W>& stage, u32 columns, u32 slices) {
    using Stage = TileStage<W>;
    using Layout = typename Stage::Layout;
    const auto line = [](const u32* lines, u32 i)
                          KG_INLINE { return reinterpret_cast<const BytePair*>(lines + i * Stage::line); };
    KG_UNROLL for (u32 turn = 0; turn < tile_depth / groups; ++turn) {
      const u32 s = turn * groups + group();
      if (s >= slices) return;
      const typename Unit::Side row = Unit::template left<Layout>(line(stage.row[s], top()));
      f32 factor[results][Product::count];
      KG_UNROLL for (int e = 0; e < results; ++e) KG_UNROLL for (u32 n = 0; n < Product::count; ++n)
          factor[e][n] = stage.factor[s][n][top() + Unit::row(e)];
      KG_UNROLL for (u32 j = 0; j < parts; ++j) {
        if (16 * j >= columns) continue;
        const typename Unit::Side column = Unit::template right<Layout>(line(stage.column[s], 16 * j));
        typename Unit::Sum dots[halves];
        if constexpr (halves == 1) {
          dots[0] = Unit::multiply(row, column, Unit::lift);
        } else {
          KG_UNROLL for (int half = 0; half < 2; ++half) dots[half] =
              Unit::multiply_half(row, column, half, Unit::lift);
        }
        KG_UNROLL for (int e = 0; e < results; ++e) {
          const u32 c = 16 * j + Unit::column(e);
          f32 dot[halves], of_column[halves] = {};
          KG_UNROLL for (u32 h = 0; h < halves; ++h) {
            dot[h] = Unit::number(dots[h][e]);
            if constexpr (Stage::sums > 0) of_column[h] = stage.sum[s][h][c];
          }
          sum[j][e] = Product::add(sum[j][e], dot, factor[e], stage.d[s][c], of_column);
        }
      }
    }
  }

  /// Adds the sums of the waves that share rows, by `space`; the first of them get the totals.
  struct Space {
    f32 sum[groups > 1 ? groups - 1 : 1][parts * results][down * Unit::lanes];
  };
  KG_DEVICE void join(Space& space) {
    const u32 at = thread_index() % (down * Unit::lanes);
    if constexpr (groups > 1) {
      if (group() > 0) {
        KG_UNROLL for (u32 j = 0; j < parts; ++j) KG_UNROLL for (int e = 0; e < results; ++e)
            space.sum[group() - 1][j * results + static_cast<u32>(e)][at] = sum[j][e];
      }
      sync();
      if (group() > 0) return;
      KG_UNROLL for (u32 g = 0; g + 1 < groups; ++g) KG_UNROLL for (u32 j = 0; j < parts; ++j)
          KG_UNROLL for (int e = 0; e < results; ++e) sum[j][e] +=
          space.sum[g][j * results + static_cast<u32>(e)][at];
    }
  }

  /// Calls store(row, column, value) for each result of a wave that has totals.
  template <class Store>
  KG_DEVICE void store(u32 columns, const Store& store) const {
    if (group() > 0) return;
    KG_UNROLL for (u32 j = 0; j < parts; ++j) {
      if (16 * j >= columns) continue;
      KG_UNROLL for (int e = 0; e < results; ++e)
          store(top() + Unit::row(e), 16 * j + Unit::column(e), sum[j][e]);
    }
  }
};

/// Calls store(row, column, value) for the products of the tile's rows from `top` on, over the slices from `first` to below
/// `end`, with `columns` columns, at least one, that begin at x_quantized + column_at[c]. All of a block's threads call it.
template <class W, class Store>
KG_DEVICE void multiply_tile_by_unit(const BlockMatrix<W>& matrix, u32 top, const b8* x_quantized,
                                     const u64 (&column_at)[tile_columns], u32 columns, u32 first, u32 end,
                                     const Store& store) {
  using Sums = TileSums<W>;
  KG_SHARED union {
    TileStage<W> stage;
    typename Sums::Space space;
  } shared;
  Sums sums;
  TilePrefetch<W> prefetch;
  prefetch.load(matrix, top, x_quantized, column_at, columns, first, end);
  for (u32 at = first; at < end; at += tile_depth) {
    sync();  // the previous stage may still be read
    prefetch.store(shared.stage);
    sync();
    if (at + tile_depth < end)
      prefetch.load(matrix, top, x_quantized, column_at, columns, at + tile_depth, end);
    sums.add(shared.stage, columns, end - at);
  }
  sync();
  sums.join(shared.space);
  sums.store(columns, [&](u32 row, u32 c, f32 value) KG_INLINE {
    if (top + row < matrix.rows && c < columns) store(top + row, c, value);
  });
  sync();  // shared memory is used by the next tile
}

/// The same by dot products, a thread per result: for targets without matrix instructions of bytes, and for blocks of another
/// size than block_threads.
template <class W, class Store>
KG_DEVICE void multiply_tile_by_dots(const BlockMatrix<W>& matrix, u32 top, const b8* x_quantized,
                                     const u64 (&column_at)[tile_columns], u32 columns, u32 first, u32 end,
                                     const Store& store) {
  using F = BlockFormat<W>;
  const u32 rows = matrix.rows - top < tile_rows ? matrix.rows - top : tile_rows;
  for (u32 i = thread_index(); i < rows * columns; i += block_size()) {
    const u32 row = i / columns, c = i - row * columns;
    const QuantizedColumn x{const_cast<b8*>(x_quantized) + column_at[c], matrix.slices};
    f32 sum = 0;
    KG_NO_UNROLL for (u32 slice = first; slice < end; ++slice) {
      Slice<W> mine;
      mine.load(BlockInMemory<block_alignment<W>>{matrix.row(top + row) + u64{slice / F::slices} * sizeof(W)},
                slice % F::slices);
      u32 words[slice_words];
      load_words(x.at, SliceOffsets(slice, matrix.slices), words);
      sum = mine.add_to(sum, words, *reinterpret_cast<const u32*>(x.sums(slice)), *x.scale(slice));
    }
    store(top + row, c, sum);
  }
}

template <class W, class Store>
KG_DEVICE void multiply_tile(const BlockMatrix<W>& matrix, u32 top, const b8* x_quantized,
                             const u64 (&column_at)[tile_columns], u32 columns, u32 first, u32 end,
                             const Store& store) {
  if constexpr (MatrixUnit<BytePair>::exists) {
    if (block_size() == block_threads)
      return multiply_tile_by_unit(matrix, top, x_quantized, column_at, columns, first, end, store);
  }
  multiply_tile_by_dots(matrix, top, x_quantized, column_at, columns, first, end, store);
}

}  // namespace kg::detail
