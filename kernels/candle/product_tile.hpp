#pragma once
/// Products of a quantized matrix with many rows of q8_1, one tile of results at a time: by matrix instructions of
/// bytes where the target has them, otherwise by dot products of four bytes.
#include "candle/quantized_product.hpp"
#include "device/byte_matrix.hpp"

namespace kg::candle {

/// The results that one block computes.
template <u32 Rows, u32 Columns>
struct Tile {
  static constexpr u32 rows = Rows, columns = Columns;
};

/// Those of candle's grids.
template <class B>
struct TileOf : Tile<128, 64> {};
template <>
struct TileOf<q5_0> : Tile<64, 128> {};
template <>
struct TileOf<q5_1> : Tile<64, 128> {};
template <>
struct TileOf<q8_0> : Tile<64, 128> {};
template <>
struct TileOf<q3_K> : Tile<128, 128> {};
template <>
struct TileOf<q6_K> : Tile<64, 64> {};
inline constexpr u32 tile_threads = 128;

/// Rows of x and of v, and their products: result (r, j) is y[j * pitch + r].
template <class B>
struct TileProblem {
  const B* x;
  u64 row_blocks;  ///< blocks between rows of x
  u32 slices;
  ByteRows v;
  f32* y;
  u32 rows, columns;
  u64 pitch;
};

/// Eight columns at a time per thread, so that a row's codes are unpacked once for them.
template <class T, class B>
KG_DEVICE void multiply_tile_by_dots(const TileProblem<B>& p, u32 top, u32 left) {
  constexpr u32 side = 8, each = BlockFormat<B>::slices;
  for (u32 task = thread_of_block(); task < T::rows * T::columns / side; task += block_threads()) {
    const u32 row = top + task % T::rows, first = left + task / T::rows * side;
    if (row >= p.rows || first >= p.columns) continue;
    const u32 count = p.columns - first < side ? p.columns - first : side;
    const B* const x = p.x + row * p.row_blocks;
    const ByteRows v{p.v.at + first * p.v.row_step, p.v.row_step, p.v.slice_step};
    Sums<side> sums;
    for (u32 k = 0; k < p.slices; ++k)
      for (int w = 0; w < slice_words / 2; ++w)
        add_products(x[k / each], static_cast<int>(k % each), w, v, k, count, sums);
    KG_UNROLL for (u32 j = 0; j < side; ++j) if (j < count) p.y[(first + j) * p.pitch + row] = sums.at[j];
  }
}

/// One slice of a tile's rows and columns. Lines are 12 words apart, which avoids bank conflicts.
template <class B, class T>
struct SliceStage {
  static constexpr u32 line = 12, halves = SliceProduct<B>::halves;
  struct Layout {
    static constexpr u32 row_step = 2 * line, term_step = 1;
  };
  alignas(16) u32 row[T::rows * line];
  alignas(16) u32 column[T::columns * line];
  f32 scale[halves][T::rows], offset[halves][T::rows];
  f32 d[T::columns], of_vector[halves][T::columns];
};

/// A thread's share of the next slice, on its way to shared memory: word t % 8 of every 16th line. Lanes of a line also
/// carry its scales and offsets.
template <class B, class T>
struct SliceShare {
  using Product = SliceProduct<B>;
  static constexpr u32 lines = tile_threads / slice_words, halves = Product::halves;
  static constexpr u32 down = T::rows / lines, across = T::columns / lines;

  u32 row[down], column[across];
  f32 of_row[down], of_column[across];

  KG_DEVICE static u32 word() { return thread_of_block() % slice_words; }
  KG_DEVICE static u32 first_line() { return thread_of_block() / slice_words; }

  KG_DEVICE void load(const TileProblem<B>& p, u32 top, u32 left, u32 k) {
    constexpr u32 each = BlockFormat<B>::slices;
    const u32 w = word(), half = w % halves, slice = k % each;
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      // Rows past the end repeat the last one; their results are not stored.
      const u32 r = top + first_line() + i * lines < p.rows ? top + first_line() + i * lines : p.rows - 1;
      const B& block = p.x[r * p.row_blocks + k / each];
      row[i] = Product::word(bytes_of(block), static_cast<int>(slice), static_cast<int>(w));
      if (w < halves)
        of_row[i] = BlockFormat<B>::scale(bytes_of(block), slice, half);
      else if (w < 2 * halves)
        of_row[i] = offset_of(block, static_cast<int>(slice), static_cast<int>(half));
    }
    KG_UNROLL for (u32 j = 0; j < across; ++j) {
      const u32 c =
          left + first_line() + j * lines < p.columns ? left + first_line() + j * lines : p.columns - 1;
      const q8_1& block = p.v.slice(c, k);
      column[j] = ByteRows::word(block, static_cast<int>(w));
      if constexpr (Product::needs_code_sums) {
        // Lanes 0 to 3 and 4 to 7 hold a half's words.
        i32 sum = dot4(0x01010101u, column[j], 0);
        const u32 lane = thread_of_block() & (wave_size() - 1);
        sum += lane_value(sum, lane ^ 1u);
        sum += lane_value(sum, lane ^ 2u);
        of_column[j] = static_cast<f32>(sum);
      } else {
        of_column[j] = widen(block.s);
      }
      if (w == 1) of_column[j] = widen(block.d);
    }
  }

  KG_DEVICE void store(SliceStage<B, T>& stage) const {
    constexpr u32 line = SliceStage<B, T>::line;
    const u32 w = word();
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      const u32 r = first_line() + i * lines;
      stage.row[r * line + w] = row[i];
      if (w < halves)
        stage.scale[w][r] = of_row[i];
      else if (w < 2 * halves)
        stage.offset[w - halves][r] = of_row[i];
    }
    KG_UNROLL for (u32 j = 0; j < across; ++j) {
      const u32 c = first_line() + j * lines;
      stage.column[c * line + w] = column[j];
      if (w == 1) stage.d[c] = of_column[j];
      if (w == 0 || (halves == 2 && w == slice_words / 2)) stage.of_vector[w / 4 % halves][c] = of_column[j];
    }
  }
};

/// Whether the target has NVIDIA's unit, for whose waves and registers the tiles are made.
template <class Unit>
inline constexpr bool has_tile_unit = Unit::exists && Unit::transposes;

/// A wave's quarter of a tile.
template <class B, class T, class Unit = MatrixUnit<BytePair>>
struct TileSums {
  using Product = SliceProduct<B>;
  static constexpr int halves = Product::halves, results = Unit::results;
  static constexpr u32 down = T::rows / 32, across = T::columns / 32;

  f32 sum[down][across][results] = {};

  KG_DEVICE static u32 first_row() { return thread_of_block() / Unit::lanes / 2 * (T::rows / 2); }
  KG_DEVICE static u32 first_column() { return thread_of_block() / Unit::lanes % 2 * (T::columns / 2); }

  KG_DEVICE void add(const SliceStage<B, T>& stage) {
    using Stage = SliceStage<B, T>;
    using Layout = typename Stage::Layout;
    const auto line = [](const u32* lines, u32 i)
                          KG_INLINE { return reinterpret_cast<const BytePair*>(lines + i * Stage::line); };
    typename Unit::Side column[across];
    KG_UNROLL for (u32 j = 0; j < across; ++j) column[j] =
        Unit::template right<Layout>(line(stage.column, first_column() + 16 * j));
    KG_UNROLL for (u32 i = 0; i < down; ++i) {
      const u32 top = first_row() + 16 * i;
      const typename Unit::Side row = Unit::template left<Layout>(line(stage.row, top));
      KG_UNROLL for (u32 j = 0; j < across; ++j) {
        const u32 left = first_column() + 16 * j;
        typename Unit::Sum dots[halves];
        if constexpr (halves == 1) {
          dots[0] = Unit::multiply(row, column[j]);
        } else {
          KG_UNROLL for (int half = 0; half < 2; ++half) dots[half] =
              Unit::multiply_half(row, column[j], half);
        }
        KG_UNROLL for (int e = 0; e < results; ++e) {
          const u32 r = top + Unit::row(e), c = left + Unit::column(e);
          i32 dot[halves];
          f32 scale[halves], offset[halves], of_vector[halves];
          KG_UNROLL for (int half = 0; half < halves; ++half) {
            dot[half] = dots[half][e];
            scale[half] = stage.scale[half][r];
            offset[half] = stage.offset[half][r];
            of_vector[half] = stage.of_vector[half][c];
          }
          sum[i][j][e] = Product::add(sum[i][j][e], dot, scale, offset, stage.d[c], of_vector);
        }
      }
    }
  }

  KG_DEVICE void store(const TileProblem<B>& p, u32 top, u32 left) const {
    KG_UNROLL for (u32 i = 0; i < down; ++i) KG_UNROLL for (u32 j = 0; j < across; ++j)
        KG_UNROLL for (int e = 0; e < results; ++e) {
      const u32 r = top + first_row() + 16 * i + Unit::row(e),
                c = left + first_column() + 16 * j + Unit::column(e);
      if (r < p.rows && c < p.columns) p.y[c * p.pitch + r] = sum[i][j][e];
    }
  }
};

template <class T, class B>
KG_DEVICE void multiply_tile_by_unit(const TileProblem<B>& p, u32 top, u32 left) {
  KG_SHARED SliceStage<B, T> stages[2];
  TileSums<B, T> sums;
  SliceShare<B, T> share;
  share.load(p, top, left, 0);
  for (u32 k = 0; k < p.slices; ++k) {
    SliceStage<B, T>& stage = stages[k % 2];
    share.store(stage);
    sync();
    if (k + 1 < p.slices) share.load(p, top, left, k + 1);
    sums.add(stage);
  }
  sums.store(p, top, left);
  sync();  // the stages are reused by the next tile
}

/// All tiles of a problem, by the blocks of a grid whose first dimension is along rows.
template <class T, class B>
KG_DEVICE void multiply_tiles(const TileProblem<B>& p) {
  for (u32 left = block_index_y() * T::columns; left < p.columns; left += grid_size_y() * T::columns)
    for (u32 top = block_index() * T::rows; top < p.rows; top += grid_size() * T::rows) {
      if constexpr (has_tile_unit<MatrixUnit<BytePair>>) {
        if (block_threads() == tile_threads && p.slices != 0) {
          multiply_tile_by_unit<T>(p, top, left);
          continue;
        }
      }
      multiply_tile_by_dots<T>(p, top, left);
    }
}

/// y[j * pitch + r] = row r of x times row j of v, for `columns` rows of v of `padded` elements.
template <class B>
KG_DEVICE void mul_mat(const B* x, const q8_1* v, f32* y, i32 n, i32 rows, i32 columns, i32 padded,
                       i32 pitch) {
  const u64 blocks = count_of(n) / elements_of<B>;
  multiply_tiles<TileOf<B>>(TileProblem<B>{x, blocks, static_cast<u32>(blocks * BlockFormat<B>::slices),
                                           ByteRows{v, count_of(padded) / slice_elements, 1}, y,
                                           static_cast<u32>(count_of(rows < pitch ? rows : pitch)),
                                           static_cast<u32>(count_of(columns)), count_of(pitch)});
}

/// mul_mat for v whose rows are adjacent, slice after slice; T is a Tile.
template <class T, class B>
KG_DEVICE void mul_mat_slices(const B* x, const q8_1* v, f32* y, u32 blocks, u32 rows, u32 columns,
                              u64 row_blocks, u64 pitch) {
  multiply_tiles<T>(TileProblem<B>{x, row_blocks, blocks * static_cast<u32>(BlockFormat<B>::slices),
                                   ByteRows{v, 1, columns}, y, rows, columns, pitch});
}

}  // namespace kg::candle
