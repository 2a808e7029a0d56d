#pragma once
/// Products of rows of blocks with many columns, on CPUs with 4-byte dot products (AVX512_VNNI, independent
/// of the instruction set that kernels are compiled for). The bytes of 32 rows are interleaved by fours, a
/// few slices at a time, which fit L1, and multiplied by four columns at a time, whose results stay in
/// registers.
#include "engines/spans.hpp"
#include "engines/transpose_cpu.hpp"
#include "plan/byte_dots.hpp"
#include "quantized/eight_slices_cpu.hpp"
#include "quantized/product.hpp"

#define KG_BYTE_DOTS \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni"), min_vector_width(512)))

namespace kg {

namespace detail {

/// Vectors per tile of rows, columns per tile, slices unpacked at a time, columns per task.
inline constexpr u32 tile_vectors = 2, tile_columns = 4, tile_slices = 16, task_columns = 512;
inline constexpr u32 tile_rows = 16 * tile_vectors;

using Ints16 = i32 __attribute__((vector_size(64)));

/// x in all sixteen elements.
KG_BYTE_DOTS KG_DEVICE Floats16 sixteen_times(f32 x) {
  return Floats16{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

KG_BYTE_DOTS KG_DEVICE Ints16 sixteen_times(i32 x) {
  return Ints16{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

/// sum + a · b over groups of four bytes; a is unsigned.
KG_BYTE_DOTS KG_DEVICE Ints16 add_byte_products(Ints16 sum, Words16 a, u32 b) {
  return reinterpret_cast<Ints16>(
      __builtin_ia32_vpdpbusd512(sum, reinterpret_cast<Ints16>(a), sixteen_times(static_cast<i32>(b))));
}

/// Slices of a tile's rows as unsigned bytes.
template <class W>
struct RowPanel {
  using F = BlockFormat<W>;
  static constexpr u32 halves = F::has_two_scales ? 2 : 1, offsets = F::has_offset ? halves : 0;
  /// Subtracted from the bytes.
  static constexpr i32 bias = F::is_signed ? 128 : F::bias;

  struct Slice {
    Words16 word[slice_words][tile_vectors];
    f32 scale[halves][tile_rows], offset[offsets > 0 ? offsets : 1][tile_rows];
    f32 up[F::has_wide_scale ? tile_rows : 1];  ///< of wide scales: see SplitScale
  };
  alignas(64) Slice slice[tile_slices];

  /// Unpacks eight slices at a time; rows past the end repeat the last one.
  KG_BYTE_DOTS KG_DEVICE void unpack(const BlockMatrix<W>& matrix, u32 row, u32 first, u32 count) {
    constexpr u64 bytes = 8 / F::slices * sizeof(W);
    for (u32 s = 0; s < count; s += 8) {
      const u32 here = count - s < 8 ? count - s : 8;
      for (u32 v = 0; v < tile_vectors; ++v) {
        alignas(64) u8 blocks[16][bytes];
        for (u32 r = 0; r < 16; ++r) {
          const u32 mine = row + 16 * v + r;
          const u8* const at =
              matrix.row(mine < matrix.rows ? mine : matrix.rows - 1) + (first + s) / F::slices * sizeof(W);
          if (here == 8) {
            __builtin_memcpy(blocks[r], at, bytes);
          } else {
            __builtin_memset(blocks[r], 0, bytes);
            __builtin_memcpy(blocks[r], at, here / F::slices * sizeof(W));
          }
          unpack_scales(blocks[r], slice + s, 16 * v + r);
        }
        KG_UNROLL for (u32 part = 0; part < 2; ++part) unpack_bytes(blocks, part, slice + s + 4 * part, v);
      }
    }
  }

 private:
  static KG_DEVICE void unpack_scales(const u8* at, Slice* to, u32 r) {
    KG_UNROLL for (u32 h = 0; h < halves; ++h) {
      const Floats8 scale = BlockEight<W>::scale(at, h);
      KG_UNROLL for (u32 l = 0; l < 8; ++l) {
        if constexpr (F::has_wide_scale) {
          const SplitScale split(scale[l]);
          to[l].scale[h][r] = split.scale;
          to[l].up[r] = split.up;
        } else {
          to[l].scale[h][r] = scale[l];
        }
      }
      if constexpr (F::has_offset) {
        const Floats8 offset = BlockEight<W>::offset(at, h);
        KG_UNROLL for (u32 l = 0; l < 8; ++l) to[l].offset[h][r] = offset[l];
      }
    }
  }
  template <u64 bytes>
  static KG_DEVICE void unpack_bytes(const u8 (&blocks)[16][bytes], u32 part, Slice* to, u32 v) {
    Words16 half[2][16];
    for (u32 r = 0; r < 16; ++r) {
      Words16 both[2];
      BlockEight<W>::bytes(blocks[r], part, both);
      KG_UNROLL for (u32 h = 0; h < 2; ++h) half[h][r] = F::is_signed ? both[h] ^ 0x80808080u : both[h];
    }
    KG_UNROLL for (u32 h = 0; h < 2; ++h) {
      transpose(half[h]);
      KG_UNROLL for (u32 i = 0; i < 16; ++i) to[i / 4].word[4 * h + i % 4][v] = half[h][i];
    }
  }
};

/// Scales and sums of a tile's column slices.
template <class W>
struct ColumnSlices {
  using Panel = RowPanel<W>;
  Ints16 start[tile_columns][Panel::halves];  ///< initial values of the integer sums
  Floats16 scale[tile_columns], sum[tile_columns][Panel::offsets > 0 ? Panel::offsets : 1];

  KG_BYTE_DOTS KG_DEVICE void read(u32 c, const QuantizedColumn& column, u32 first, u32 count) {
    Ints16 pairs{};
    Floats16 step{};
    // A constant length avoids a call of memcpy.
    if (count == tile_slices) {
      __builtin_memcpy(&pairs, column.sums(first), sizeof(pairs));
      __builtin_memcpy(&step, column.scale(first), sizeof(step));
    } else {
      __builtin_memcpy(&pairs, column.sums(first), sizeof(i32) * count);
      __builtin_memcpy(&step, column.scale(first), sizeof(f32) * count);
    }
    const Ints16 half[2] = {pairs << 16 >> 16, pairs >> 16};
    scale[c] = step;
    KG_UNROLL for (u32 h = 0; h < Panel::halves; ++h) {
      const Ints16 all = Panel::halves == 2 ? half[h] : half[0] + half[1];
      start[c][h] = all * -Panel::bias;
      if constexpr (Panel::offsets > 0) sum[c][h] = __builtin_convertvector(all, Floats16) * step;
    }
  }
};

/// Adds the products of `count` slices to a tile's results, stored as 32 rows per column. `other` has the scales and sums of the
/// columns. The first column's half slices begin at `low` and `high`; each further column is `distance` bytes on.
template <class W>
KG_BYTE_DOTS KG_DEVICE void multiply_tile(const RowPanel<W>& panel, const ColumnSlices<W>& other,
                                          const u8* low, const u8* high, u64 distance, u32 count,
                                          f32* results) {
  using Panel = RowPanel<W>;
  constexpr u32 words = slice_words / Panel::halves;
  Floats16 total[tile_columns][tile_vectors];
  __builtin_memcpy(&total, results, sizeof(total));
  for (u32 s = 0; s < count; ++s, low += 16, high += 16) {
    const typename Panel::Slice& slice = panel.slice[s];
    KG_UNROLL for (u32 h = 0; h < Panel::halves; ++h) {
      Ints16 dot[tile_columns][tile_vectors];
      KG_UNROLL for (u32 c = 0; c < tile_columns; ++c) {
        const i32 start = Panel::bias == 0 ? 0 : reinterpret_cast<const i32*>(&other.start[c][h])[s];
        KG_UNROLL for (u32 v = 0; v < tile_vectors; ++v) dot[c][v] = sixteen_times(start);
      }
      KG_UNROLL for (u32 w = h * words; w < (h + 1) * words; ++w) {
        KG_UNROLL for (u32 c = 0; c < tile_columns; ++c) {
          const u32 bytes = load_as<u32>((w < 4 ? low : high) + c * distance + 4 * (w % 4));
          KG_UNROLL for (u32 v = 0; v < tile_vectors; ++v) dot[c][v] =
              add_byte_products(dot[c][v], slice.word[w][v], bytes);
        }
      }
      KG_UNROLL for (u32 v = 0; v < tile_vectors; ++v) {
        const Floats16 scale = reinterpret_cast<const Floats16*>(slice.scale[h])[v];
        KG_UNROLL for (u32 c = 0; c < tile_columns; ++c) {
          const Floats16 step = sixteen_times(reinterpret_cast<const f32*>(&other.scale[c])[s]);
          // The column's scale comes last: what it is multiplied with is finite.
          const Floats16 product = __builtin_convertvector(dot[c][v], Floats16) * scale;
          if constexpr (Panel::F::has_wide_scale)
            total[c][v] = __builtin_elementwise_fma(
                product * step, reinterpret_cast<const Floats16*>(slice.up)[v], total[c][v]);
          else
            total[c][v] = __builtin_elementwise_fma(product, step, total[c][v]);
          if constexpr (Panel::offsets > 0)
            total[c][v] = __builtin_elementwise_fma(
                reinterpret_cast<const Floats16*>(slice.offset[h])[v],
                sixteen_times(reinterpret_cast<const f32*>(&other.sum[c][h])[s]), total[c][v]);
        }
      }
    }
  }
  __builtin_memcpy(results, &total, sizeof(total));
}

/// Computes up to 32 rows from `row` on, for `columns` columns at x: at least four, at most task_columns.
template <class W, class Store>
KG_BYTE_DOTS __attribute__((noinline)) void multiply_task(const BlockMatrix<W>& matrix, u32 row, const u8* x,
                                                          u32 columns, const Store& store) {
  alignas(64) f32 results[task_columns][tile_rows] = {};
  RowPanel<W> panel;
  const u64 distance = quantized_column_bytes(u64{matrix.slices} * slice_elements);
  // The last tile overlaps the previous one to have four columns.
  const auto column_of = [&](u32 c) { return c + tile_columns <= columns ? c : columns - tile_columns; };
  for (u32 first = 0; first < matrix.slices; first += tile_slices) {
    const u32 count = matrix.slices - first < tile_slices ? matrix.slices - first : tile_slices;
    panel.unpack(matrix, row, first, count);
    for (u32 c = 0; c < columns; c += tile_columns) {
      u8* const at = const_cast<u8*>(x) + column_of(c) * distance;
      ColumnSlices<W> other;
      for (u32 i = 0; i < tile_columns; ++i) other.read(i, {at + i * distance, matrix.slices}, first, count);
      const QuantizedColumn column{at, matrix.slices};
      multiply_tile(panel, other, reinterpret_cast<const u8*>(column.words(first, 0)),
                    reinterpret_cast<const u8*>(column.words(first, 1)), distance, count, results[c]);
    }
  }
  const u32 rows = matrix.rows - row < tile_rows ? matrix.rows - row : tile_rows;
  for (u32 c = 0; c < columns; c += tile_columns) {
    for (u32 i = 0; i < tile_columns; ++i)
      for (u32 r = 0; r < rows; ++r) store(row + r, column_of(c) + i, results[c + i][r]);
  }
}

}  // namespace detail

/// Calls store(row, column, value) for the products of the matrix with each of `columns` quantized columns at
/// x, eight or more. Requires has_byte_dots().
template <class W, class Store>
KG_DEVICE void multiply_columns(const BlockMatrix<W>& matrix, const u8* x, u64 columns, const Store& store) {
  const u64 distance = quantized_column_bytes(u64{matrix.slices} * slice_elements);
  const u64 shares = (columns + detail::task_columns - 1) / detail::task_columns,
            panels = (u64{matrix.rows} + detail::tile_rows - 1) / detail::tile_rows;
  for_each_span(panels * shares, 1, [&](u64 task, u64) KG_INLINE {
    const u64 share = task % shares, begin = columns * share / shares, end = columns * (share + 1) / shares;
    detail::multiply_task(matrix, static_cast<u32>(task / shares) * detail::tile_rows, x + begin * distance,
                          static_cast<u32>(end - begin),
                          [&](u32 row, u32 c, f32 value) KG_INLINE { store(row, begin + c, value); });
  });
}

}  // namespace kg
