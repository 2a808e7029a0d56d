#pragma once
/// Products of quantized rows with some quantized columns, by matrix instructions of bytes. A block takes 16 rows at a time. Its
/// waves take different slices, read them from global memory as the instructions want them, and add their sums at the end: with
/// few columns, waiting for other waves and copies to shared memory take more than reading columns again for the next rows.
#include "quantized/tile_gpu.hpp"

namespace kg::detail {

/// Columns and rows of a strip, and the slices whose loads a wave has in flight.
inline constexpr u32 strip_columns = quantized_strip_columns, strip_rows = quantized_strip_rows,
                     strip_depth = 4;

template <class W, class Unit = MatrixUnit<BytePair>>
struct Strip {
  using Product = TileSlice<W>;
  using F = BlockFormat<W>;
  static constexpr u32 halves = Product::halves, count = Product::count, waves = block_threads / Unit::lanes,
                       numbers = strip_rows * strip_depth / Unit::lanes, width = Unit::group_columns,
                       groups = strip_columns / width;
  static constexpr int results = Unit::group_results;
  static_assert(strip_rows * strip_depth % Unit::lanes == 0 && strip_columns % width == 0);

  /// Scales and offsets of a wave's slices, which other lanes load than need them, and the sums of all waves.
  union Shared {
    f32 number[waves][count][strip_depth][strip_rows];
    f32 sum[waves][groups * results][Unit::lanes];
  };
  using Numbers = f32[count][strip_depth][strip_rows];

  const BlockMatrix<W>& matrix;
  u32 top, columns;

  /// The block of slice first + s, where first is a multiple of strip_depth. Rows past the end repeat the last one, and slices
  /// likewise; their results are not stored or added.
  KG_DEVICE BlockInMemory<block_alignment<W>> block(u32 row, u32 first, u32 s) const {
    const u32 r = top + row < matrix.rows ? top + row : matrix.rows - 1;
    u32 slice = first;
    if constexpr (F::slices < strip_depth) slice = first + s < matrix.slices ? first + s : matrix.slices - 1;
    return {matrix.row(r) + slice / F::slices * static_cast<u32>(sizeof(W))};
  }
  static KG_DEVICE u32 in_block(u32 first, u32 s) {
    return F::slices < strip_depth ? s % F::slices : first % F::slices + s;
  }

  /// Adds the products with slices first to first + strip_depth. Columns may be read past their last slice.
  template <class Column>
  KG_DEVICE void add(f32 (&sum)[groups][results], u32 first, const Column& column, Numbers& shared) const {
    typename Unit::Side rows[strip_depth];
    f32 number[numbers][halves][2];
    const u32 lane = thread_index() % Unit::lanes;
    KG_UNROLL for (u32 s = 0; s < strip_depth; ++s) rows[s] = Unit::left_words(
        [&](u32 row, u32 w) KG_INLINE { return Product::word(block(row, first, s), in_block(first, s), w); });
    KG_UNROLL for (u32 k = 0; k < numbers; ++k) {
      const u32 i = lane + k * Unit::lanes, s = i / strip_rows;
      KG_UNROLL for (u32 h = 0; h < halves; ++h)
          Product::load(block(i % strip_rows, first, s), in_block(first, s), h, number[k][h]);
    }
    sync_wave();  // the previous numbers may still be read
    KG_UNROLL for (u32 k = 0; k < numbers; ++k) {
      const u32 i = lane + k * Unit::lanes;
      KG_UNROLL for (u32 h = 0; h < halves; ++h) {
        shared[h][i / strip_rows][i % strip_rows] = number[k][h][0];
        if constexpr (count > halves) shared[halves + h][i / strip_rows][i % strip_rows] = number[k][h][1];
      }
    }
    sync_wave();
    KG_UNROLL for (u32 g = 0; g < groups; ++g) if (g * width < columns)
        add_group(sum[g], rows, first, g * width, column, shared);
  }

  /// Four numbers of a column, of which the first is aligned if `is_aligned`.
  template <bool is_aligned>
  static KG_DEVICE Quad four(const void* at) {
    const u32* const from = static_cast<const u32*>(at);
    if constexpr (is_aligned)
      return *static_cast<const Quad*>(at);
    else
      return {from[0], from[1], from[2], from[3]};
  }
  static KG_DEVICE u32 nth(const Quad& quad, u32 i) {
    return i == 0 ? quad.x : i == 1 ? quad.y : i == 2 ? quad.z : quad.w;
  }

  /// The same with the columns from `left` on that a matrix instruction takes.
  template <class Column>
  KG_DEVICE void add_group(f32 (&sum)[results], const typename Unit::Side (&rows)[strip_depth], u32 first,
                           u32 left, const Column& column, const Numbers& shared) const {
    typename Unit::Side x[strip_depth];
    Quad d[results], sums[results];
    KG_UNROLL for (u32 s = 0; s < strip_depth; ++s) x[s] = Unit::right_words([&](u32 c, u32 w) KG_INLINE {
      return column(left + c % width).words(first, w / 4 != 0)[4 * s + w % 4];
    });
    KG_UNROLL for (int e = 0; e < results; ++e) {
      const QuantizedColumn mine = column(left + Unit::column(e) % width);
      d[e] = four<true>(mine.scale(first));
      // They follow whole fours of slices, if a block has as many.
      if constexpr (F::has_offset) sums[e] = four < F::slices % 4 == 0 > (mine.sums(first));
    }
    KG_UNROLL for (u32 s = 0; s < strip_depth; ++s) {
      if (F::slices < strip_depth && first + s >= matrix.slices) continue;
      typename Unit::Sum dots[halves];
      if constexpr (halves == 1) {
        dots[0] = Unit::multiply(rows[s], x[s], Unit::lift);
      } else {
        KG_UNROLL for (int half = 0; half < 2; ++half) dots[half] =
            Unit::multiply_half(rows[s], x[s], half, Unit::lift);
      }
      KG_UNROLL for (int e = 0; e < results; ++e) {
        f32 dot[halves], of_row[count], of_column[halves] = {};
        KG_UNROLL for (u32 n = 0; n < count; ++n) of_row[n] = shared[n][s][Unit::row(e)];
        KG_UNROLL for (u32 h = 0; h < halves; ++h) dot[h] = Unit::number(dots[h][e]);
        if constexpr (F::has_offset) {
          const u32 pair = nth(sums[e], s);
          const i32 low = static_cast<i16>(pair), high = static_cast<i32>(pair) >> 16;
          of_column[0] = static_cast<f32>(halves == 2 ? low : low + high);
          if constexpr (halves == 2) of_column[1] = static_cast<f32>(high);
        }
        sum[e] = Product::add(sum[e], dot, of_row, bit_cast<f32>(nth(d[e], s)), of_column);
        // Clang sinks the sums into the next group's branch, where the numbers of all slices do not fit the registers.
        sum[e] = bit_cast<f32>(optimization_barrier(bit_cast<u32>(sum[e])));
      }
    }
  }
};

/// Calls store(row, c, value) for the products of columns 0 to columns - 1 with the strips of rows `first`, first + step, ….
/// column(c) exists for all c below strip_columns. All threads of a block call it.
template <class Unit = MatrixUnit<BytePair>, class W, class Column, class Store>
KG_DEVICE void multiply_strips(const BlockMatrix<W>& matrix, u32 first, u32 step, u32 columns,
                               const Column& column, const Store& store) {
  using Part = Strip<W, Unit>;
  KG_SHARED typename Part::Shared shared;
  const u32 wave = thread_index() / Unit::lanes, waves = block_size() / Unit::lanes,
            lane = thread_index() % Unit::lanes;
  for (u32 top = first * strip_rows; top < matrix.rows; top += step * strip_rows) {
    const Part part{matrix, top, columns};
    f32 sum[Part::groups][Part::results] = {};
    KG_NO_UNROLL for (u32 s = wave * strip_depth; s < matrix.slices; s += waves * strip_depth)
        part.add(sum, s, column, shared.number[wave]);
    sync();
    KG_UNROLL for (u32 g = 0; g < Part::groups; ++g) KG_UNROLL for (u32 e = 0; e < Part::results; ++e)
        shared.sum[wave][g * Part::results + e][lane] = sum[g][e];
    sync();
    for (u32 i = wave; i < Part::groups * Part::results; i += waves) {
      const int e = static_cast<int>(i % Part::results);
      const u32 row = top + Unit::row(e), c = i / Part::results * Part::width + Unit::column(e);
      f32 total = 0;
      for (u32 w = 0; w < waves; ++w) total += shared.sum[w][i][lane];
      if (row < matrix.rows && c < columns) store(row, c, total);
    }
    sync();  // shared memory is used by the next strip
  }
}

}  // namespace kg::detail
