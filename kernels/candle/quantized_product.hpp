#pragma once
/// candle's products of quantized rows: with floats, and with q8_1 blocks by 4-byte dot products. Sums are in
/// f32.
#include "candle/quantized.hpp"
#include "quantized/column.hpp"

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

/// Blocks of q8_1 for rows of a matrix: slice k of row j is at[j * row_step + k * slice_step].
struct ByteRows {
  const q8_1* at;
  u64 row_step, slice_step;

  KG_DEVICE const q8_1& slice(u64 row, u64 k) const { return at[row * row_step + k * slice_step]; }
  /// Four codes. candle aligns these blocks to words; they may be in shared memory.
  static KG_DEVICE u32 word(const q8_1& block, int w) { return reinterpret_cast<const u32*>(block.q)[w]; }
};

/// How a format's slices enter products. Its codes become signed bytes where each half has its scale, so that
/// the bias is gone; otherwise bias and offset are factors of the vector's sum, which q8_1 stores.
template <class B>
struct SliceProduct {
  using F = BlockFormat<B>;
  static constexpr int halves = F::has_two_scales ? 2 : 1;
  /// Whether products need sums of the vector's codes by half.
  static constexpr bool needs_code_sums = F::has_two_scales && F::has_offset;

  template <class Bytes>
  static KG_DEVICE u32 word(const Bytes& block, int slice, int w) {
    const u32 codes = F::word(block, slice, w);
    if constexpr (!F::has_two_scales || F::bias == 0) return codes;
    return ((codes | 0x80808080u) - 0x01010101u * F::bias) ^ 0x80808080u;
  }
  /// sum + the product of a slice, given the dot products of its halves' codes, and the vector's scale and sum.
  static KG_DEVICE f32 add(f32 sum, const i32 (&dot)[halves], const f32 (&scale)[halves],
                           const f32 (&offset)[halves], f32 d, const f32 (&of_vector)[halves]) {
    if constexpr (F::has_two_scales) {
      f32 y = fma(scale[0], static_cast<f32>(dot[0]), scale[1] * static_cast<f32>(dot[1]));
      if constexpr (F::has_offset) y = fma(offset[0], of_vector[0], fma(offset[1], of_vector[1], y));
      return fma(d, y, sum);
    } else if constexpr (F::has_offset) {
      return fma(offset[0], of_vector[0], fma(scale[0], d * static_cast<f32>(dot[0]), sum));
    } else if constexpr (F::bias != 0) {
      return fma(scale[0], fma(static_cast<f32>(dot[0]), d, of_vector[0] * static_cast<f32>(-F::bias)), sum);
    } else {
      // Without the vector's sum, which overflows f16 before its elements do.
      return fma(scale[0], d * static_cast<f32>(dot[0]), sum);
    }
  }
};

/// Adds to sums[j] the products of words w and w + 4 of a slice of x, one of each half, with row j of y. From `count`
/// on, j repeats the last row.
template <int N, class B>
KG_DEVICE void add_products(const B& x, int slice, int w, const ByteRows& y, u64 k, u32 count,
                            Sums<N>& sums) {
  using Product = SliceProduct<B>;
  constexpr int halves = Product::halves;
  u32 codes[2];
  KG_UNROLL for (int half = 0; half < 2; ++half) codes[half] =
      Product::word(bytes_of(x), slice, w + 4 * half);
  f32 scale[halves], offset[halves];
  KG_UNROLL for (int half = 0; half < halves; ++half) {
    scale[half] = BlockFormat<B>::scale(bytes_of(x), slice, half);
    offset[half] = offset_of(x, slice, half);
  }
  KG_UNROLL for (u32 j = 0; j < N; ++j) {
    const q8_1& other = y.slice(j < count ? j : count - 1, k);
    i32 dot[halves] = {};
    f32 of_vector[halves] = {};
    KG_UNROLL for (int half = 0; half < 2; ++half) {
      const u32 four = ByteRows::word(other, w + 4 * half);
      dot[half % halves] = dot4(codes[half], four, dot[half % halves]);
      if constexpr (Product::needs_code_sums) of_vector[half] = static_cast<f32>(dot4(0x01010101u, four, 0));
    }
    // The slice's first words take the whole sum.
    if constexpr (!Product::needs_code_sums) of_vector[0] = w == 0 ? widen(other.s) : 0;
    sums.at[j] = Product::add(sums.at[j], dot, scale, offset, widen(other.d), of_vector);
  }
}

/// The products of a row with `count` rows of q8_1, at most N, by a group that takes part.
template <int N, class B>
KG_DEVICE Sums<N> row_products(const Group& group, bool takes_part, const B* x, const ByteRows& y, u64 slices,
                               u32 count) {
  constexpr u32 each = BlockFormat<B>::slices, parts = slice_words / 2;
  Sums<N> sums;
  for (u64 i = group.rank; takes_part && i < slices * parts; i += group.size) {
    const u64 k = i / parts;
    add_products(x[k / each], static_cast<int>(k % each), static_cast<int>(i % parts), y, k, count, sums);
  }
  return sum_of_group(group, sums);
}

/// The number of vectors in candle's kernel names.
enum Vectors { cuda1 = 1, cuda2, cuda3, cuda4, cuda5, cuda6, cuda7, cuda8 };

/// Calls store(row, sums) for each of this block's rows of x: their products with `count` rows of v, at most N. A block
/// processes one row of x, or two if N > 1.
template <int N, class B, class Store>
KG_DEVICE void multiply_vectors(const B* x, u64 rows, u64 blocks, const ByteRows& v, u32 count, Store store) {
  constexpr u32 rows_each = N == 1 ? 1 : 2;
  const Group group = whole_block();
  for (u64 first = static_cast<u64>(block_index()) * rows_each; first < rows;
       first += static_cast<u64>(grid_size()) * rows_each)
    for (u64 row = first; row < first + rows_each && row < rows; ++row) {
      const Sums<N> sums = row_products<N>(group, group.index == 0, x + row * blocks, v,
                                           blocks * BlockFormat<B>::slices, count);
      if (group.index == 0 && group.rank == 0) store(row, sums);
    }
}

/// y[j * pitch + r] = row r of x times row j of v, for N rows of v of `padded` elements.
template <Vectors N, class B>
KG_DEVICE void mul_mat_vec(const B* x, const q8_1* v, f32* y, i32 n, i32 rows, i32 padded, i32 pitch) {
  multiply_vectors<N>(x, count_of(rows < pitch ? rows : pitch), count_of(n) / elements_of<B>,
                      ByteRows{v, count_of(padded) / slice_elements, 1}, N,
                      [&](u64 row, const Sums<N>& sums) KG_INLINE {
                        KG_UNROLL for (int j = 0; j < N; ++j) y[j * count_of(pitch) + row] = sums.at[j];
                      });
}

/// mul_mat_vec for `count` rows of v, at most N, and a result of any ActivationType.
template <Vectors N, class B>
KG_DEVICE void mul_mat_few(const B* x, const q8_1* v, b8* y, u32 type, u32 rows, u32 blocks, u32 row_step,
                           u64 pitch, u32 count) {
  multiply_vectors<N>(
      x, rows, blocks, ByteRows{v, row_step, 1}, count, [&](u64 row, const Sums<N>& sums) KG_INLINE {
        KG_UNROLL for (u32 j = 0; j < N; ++j) if (j < count)
            store_activation(y, static_cast<ActivationType>(type), j * pitch + row, sums.at[j]);
      });
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
        const u64 step = count_of(padded) / slice_elements;
        const Sums<1> sums = row_products<1>(
            group, group.index == 0 && !is_none, x + ((is_none ? 0 : expert) * count_of(rows) + row) * blocks,
            ByteRows{v + vector * step, step, 1}, blocks * BlockFormat<B>::slices, 1);
        if (group.index == 0 && group.rank == 0) y[task * count_of(rows) + row] = sums.at[0];
      }
    }
}

}  // namespace kg::candle
