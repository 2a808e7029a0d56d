#pragma once
/// candle's products of quantized rows: with floats, and with q8_1 blocks by 4-byte dot products. Sums are in
/// f32.
#include "candle/quantized.hpp"

namespace kg::candle {

template <int N>
struct Sums {
  f32 at[N] = {};
};

/// Sums over a group's threads; each thread gets the result.
template <int N>
KG_DEVICE Sums<N> sum_of_group(const Group& group, const Sums<N>& sums) {
  return group_reduce(group, sums, [](const Sums<N>& a, const Sums<N>& b) KG_INLINE {
    Sums<N> both;
    KG_UNROLL for (int j = 0; j < N; ++j) both.at[j] = a.at[j] + b.at[j];
    return both;
  });
}

KG_DEVICE u64 count_of(i32 n) { return n < 0 ? 0 : static_cast<u64>(n); }

/// y[r] = row r of x times v, with x dequantized. One row per group of threads with the same y index;
/// `rows_each` rows per block.
template <class B>
KG_DEVICE void multiply_floats(const B* x, const f32* v, f32* y, u64 n, u64 rows, u32 rows_each) {
  u32 wanted = 1;
  while (2 * wanted <= block_size()) wanted *= 2;
  const Group group = block_group(wanted);
  const u64 words = n / 4, stride = static_cast<u64>(grid_size()) * rows_each;
  for (u64 base = static_cast<u64>(block_index()) * rows_each; base < rows; base += stride)
    for (u32 turn = 0; turn < rows_each; turn += group.count) {
      const u64 row = base + turn + group.index;
      const bool takes_part = group.index < group.count && turn + group.index < rows_each && row < rows;
      Sums<1> sum;
      for (u64 word = group.rank; takes_part && word < words; word += group.size)
        for_four(x + row * (n / elements_of<B>), word,
                 [&](u64 i, f32 element) KG_INLINE { sum.at[0] += element * v[i]; });
      sum = sum_of_group(group, sum);
      if (takes_part && group.rank == 0) y[row] = sum.at[0];
    }
}

template <class B>
KG_DEVICE void mul_mat_vec_floats(const B* x, const f32* v, f32* y, i32 n, i32 rows) {
  multiply_floats(x, v, y, count_of(n), count_of(rows), block_size_y());
}

/// One row per block of the grid.
template <class B>
KG_DEVICE void mul_mat_vec_grid(const B* x, const f32* v, f32* y, i32 n) {
  multiply_floats(x, v, y, count_of(n), grid_size(), 1);
}

/// Adds to sums[j] the product of a slice of x with y[j * pitch]. From `columns` on, j repeats the last
/// column.
template <int N, class B>
KG_DEVICE void add_products(const B& x, int slice, const q8_1* y, u32 pitch, u32 columns, Sums<N>& sums) {
  using F = BlockFormat<B>;
  constexpr bool needs_sum = F::bias != 0 || F::has_offset;
  u32 codes[slice_words];
  KG_UNROLL for (int w = 0; w < slice_words; ++w) codes[w] = F::word(bytes_of(x), slice, w);
  f32 scale[2], offset[2];
  KG_UNROLL for (int half = 0; half < 2; ++half) {
    scale[half] = F::scale(bytes_of(x), slice, half);
    offset[half] = offset_of(x, slice, half);
  }
  KG_UNROLL for (u32 j = 0; j < N; ++j) {
    const q8_1& other = y[(j < columns ? j : columns - 1) * pitch];
    i32 product[2] = {}, sum[2] = {};
    KG_UNROLL for (int w = 0; w < slice_words; ++w) {
      const u32 four = BlockFormat<q8_1>::word(bytes_of(other), 0, w);
      product[w / 4] = dot4(codes[w], four, product[w / 4]);
      if constexpr (needs_sum) sum[w / 4] = dot4(0x01010101u, four, sum[w / 4]);
    }
    f32 exact = 0;
    KG_UNROLL for (int half = 0; half < 2; ++half) {
      exact += scale[half] * static_cast<f32>(product[half] - F::bias * sum[half]);
      if constexpr (F::has_offset) exact += offset[half] * static_cast<f32>(sum[half]);
    }
    sums.at[j] += widen(other.d) * exact;
  }
}

/// The products of a row with N rows of q8_1, by all threads of a block.
template <int N, class B>
KG_DEVICE Sums<N> row_products(const Group& group, const B* x, const q8_1* y, u64 slices, u32 pitch) {
  constexpr u32 each = BlockFormat<B>::slices;
  Sums<N> sums;
  for (u64 k = group.index == 0 ? group.rank : slices; k < slices; k += group.size)
    add_products(x[k / each], static_cast<int>(k % each), y + k, pitch, N, sums);
  return sum_of_group(group, sums);
}

/// The number of vectors in candle's kernel names.
enum Vectors { cuda1 = 1, cuda2, cuda3, cuda4, cuda5, cuda6, cuda7, cuda8 };

/// y[j * pitch + r] = row r of x times row j of v, for N rows of v of `padded` elements. A block processes
/// one row of x, or two if N > 1.
template <Vectors N, class B>
KG_DEVICE void mul_mat_vec(const B* x, const q8_1* v, f32* y, i32 n, i32 rows, i32 padded, i32 pitch) {
  constexpr u32 rows_each = N == 1 ? 1 : 2;
  const Group group = whole_block();
  const u64 blocks = count_of(n) / elements_of<B>, last = count_of(rows < pitch ? rows : pitch);
  for (u64 first = static_cast<u64>(block_index()) * rows_each; first < last;
       first += static_cast<u64>(grid_size()) * rows_each)
    for (u64 row = first; row < first + rows_each && row < last; ++row) {
      const Sums<N> sums = row_products<N>(group, x + row * blocks, v, blocks * BlockFormat<B>::slices,
                                           static_cast<u32>(count_of(padded) / slice_elements));
      if (group.index == 0 && group.rank == 0)
        KG_UNROLL for (int j = 0; j < N; ++j) y[j * count_of(pitch) + row] = sums.at[j];
    }
}

/// The results that one block of candle's grids computes.
struct Tile {
  u32 rows, columns;
};
template <class B>
inline constexpr Tile tile_of = {128, 64};
template <>
inline constexpr Tile tile_of<q5_0> = {64, 128};
template <>
inline constexpr Tile tile_of<q5_1> = {64, 128};
template <>
inline constexpr Tile tile_of<q8_0> = {64, 128};
template <>
inline constexpr Tile tile_of<q3_K> = {128, 128};
template <>
inline constexpr Tile tile_of<q6_K> = {64, 64};

/// y[j * pitch + r] = row r of x times row j of v, for `columns` rows of v of `padded` elements. A thread
/// processes one row of the tile and eight of its columns at a time, so that the row's codes are unpacked
/// once for them.
template <class B>
KG_DEVICE void mul_mat(const B* x, const q8_1* v, f32* y, i32 n, i32 rows, i32 columns, i32 padded,
                       i32 pitch) {
  constexpr Tile tile = tile_of<B>;
  constexpr u32 side = 8, each = BlockFormat<B>::slices;
  const u64 blocks = count_of(n) / elements_of<B>, slices = blocks * each;
  const u32 step = static_cast<u32>(count_of(padded) / slice_elements);
  const u32 last_row = static_cast<u32>(count_of(rows < pitch ? rows : pitch)),
            last_column = static_cast<u32>(count_of(columns));
  for (u64 left = static_cast<u64>(block_index_y()) * tile.columns; left < last_column;
       left += static_cast<u64>(grid_size_y()) * tile.columns)
    for (u64 top = static_cast<u64>(block_index()) * tile.rows; top < last_row;
         top += static_cast<u64>(grid_size()) * tile.rows)
      for (u32 task = thread_of_block(); task < tile.rows * tile.columns / side; task += block_threads()) {
        const u32 row = static_cast<u32>(top) + task % tile.rows,
                  first = static_cast<u32>(left) + task / tile.rows * side;
        if (row >= last_row || first >= last_column) continue;
        const u32 count = last_column - first < side ? last_column - first : side;
        const B* const x_row = x + row * blocks;
        const q8_1* const v_row = v + static_cast<u64>(first) * step;
        Sums<side> sums;
        for (u64 k = 0; k < slices; ++k)
          add_products(x_row[k / each], static_cast<int>(k % each), v_row + k, step, count, sums);
        KG_UNROLL for (u32 j = 0; j < side; ++j) if (j < count) y[(first + j) * count_of(pitch) + row] =
            sums.at[j];
      }
}

/// y[t, e] = the rows of expert ids[t, e] times v[t, e], or v[t] if `vectors` is 1. Experts are matrices of
/// `rows` rows of n elements. An id that is the largest u32 gives zeros.
template <class B>
KG_DEVICE void multiply_by_experts(const B* x, const q8_1* v, const u32* ids, f32* y, i32 rows, i32 n,
                                   i32 tokens, i32 chosen, i32 padded, i32 vectors) {
  const Group group = whole_block();
  const u64 blocks = count_of(n) / elements_of<B>;
  for (u64 token = block_index_y(); token < count_of(tokens); token += grid_size_y())
    for (u64 choice = block_index_z(); choice < count_of(chosen); choice += grid_size_z()) {
      const u64 task = token * count_of(chosen) + choice, vector = vectors == 1 ? token : task;
      const u32 expert = ids[task];
      for (u64 row = block_index(); row < count_of(rows); row += grid_size()) {
        const bool is_none = expert == no_row;
        const Sums<1> sums =
            row_products<1>(group, x + ((is_none ? 0 : expert) * count_of(rows) + row) * blocks,
                            v + vector * (count_of(padded) / slice_elements),
                            is_none ? 0 : blocks * BlockFormat<B>::slices, 0);
        if (group.index == 0 && group.rank == 0) y[task * count_of(rows) + row] = sums.at[0];
      }
    }
}

}  // namespace kg::candle
