#pragma once
/// Unpacks eight slices of a row into vectors and multiplies them by each column.
#include "device/prefetch.hpp"
#include "quantized/eight_slices_cpu.hpp"
#include "quantized/product.hpp"

namespace kg {

namespace detail {

using Shorts32 = i16 __attribute__((vector_size(64)));
using Ints16 = i32 __attribute__((vector_size(64)));

/// Prefetch distance for rows.
inline constexpr u64 bytes_ahead = 2048;

/// Sums of adjacent products, which must not overflow: either unsigned bytes up to 64 times signed bytes, or
/// any unsigned times signed bytes above -128.
KG_DEVICE Shorts32 multiply_pairs(Bytes64 a, SignedBytes64 b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Shorts32>(__builtin_ia32_pmaddubsw512(a, b));
#elif defined(__AVX2__)
  using Bytes32 = char __attribute__((vector_size(32)));
  struct Two {
    Bytes32 part[2];
  };
  const auto x = bit_cast<Two>(a), y = bit_cast<Two>(b);
  Two sums;
  for (int i = 0; i < 2; ++i)
    sums.part[i] = bit_cast<Bytes32>(__builtin_ia32_pmaddubsw256(x.part[i], y.part[i]));
  return bit_cast<Shorts32>(sums);
#else
  Shorts32 sums;
  for (int i = 0; i < 32; ++i) sums[i] = static_cast<i16>(a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1]);
  return sums;
#endif
}

/// Sums of adjacent elements.
KG_DEVICE Ints16 add_pairs(Shorts32 x) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Ints16>(__builtin_ia32_pmaddwd512(x, Shorts32{} + static_cast<i16>(1)));
#else
  const auto words = bit_cast<Ints16>(x);
  return (words << 16 >> 16) + (words >> 16);
#endif
}

template <class W>
KG_DEVICE Shorts32 multiply_bytes(Words16 q, SignedBytes64 x) {
  if constexpr (!BlockFormat<W>::is_signed) return multiply_pairs(bit_cast<Bytes64>(q), x);
  const auto bytes = bit_cast<SignedBytes64>(q);
  return multiply_pairs(bit_cast<Bytes64>(__builtin_elementwise_abs(bytes)), bytes < 0 ? -x : x);
}

/// add_pairs for eight pairs.
KG_DEVICE Ints8 add_pairs(Ints8 pairs) {
#if defined(__AVX2__)
  using Shorts16 = i16 __attribute__((vector_size(32)));
  return reinterpret_cast<Ints8>(
      __builtin_ia32_pmaddwd256(bit_cast<Shorts16>(pairs), Shorts16{} + static_cast<i16>(1)));
#else
  return (pairs << 16 >> 16) + (pairs >> 16);
#endif
}

KG_DEVICE f32 sum_of(Floats16 x, Floats8 rest) {
  const Floats8 eight = __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7) +
                        __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15) + rest;
  const auto four =
      __builtin_shufflevector(eight, eight, 0, 1, 2, 3) + __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

/// Splits wide scales into two factors each (see SplitScale).
KG_DEVICE void split_scales(Floats8& scale, Floats8& up) {
  KG_UNROLL for (int i = 0; i < 8; ++i) {
    const SplitScale split(scale[i]);
    scale[i] = split.scale;
    up[i] = split.up;
  }
}

/// Accumulators of a row's products with several columns.
template <class W, int columns>
struct RowProduct {
  using F = BlockFormat<W>;
  using E = BlockEight<W>;

  Floats16 sum[columns] = {};
  Floats8 rest[columns] = {};

  /// Adds the products of the eight slices at `at` with those from `slice` on of each column.
  KG_DEVICE void add(const u8* at, const QuantizedColumn (&x)[columns], u32 slice) {
    Words16 q[2][2];
    KG_UNROLL for (u32 part = 0; part < 2; ++part) E::bytes(at, part, q[part]);
    Floats8 scale[2], offset[2], up;
    KG_UNROLL for (u32 h = 0; h < (F::has_two_scales ? 2 : 1); ++h) {
      scale[h] = E::scale(at, h);
      if constexpr (F::has_wide_scale) split_scales(scale[h], up);
      if constexpr (F::has_offset)
        offset[h] = E::offset(at, h);
      else
        offset[h] = scale[h] * static_cast<f32>(-F::bias);
    }
    KG_UNROLL for (int c = 0; c < columns; ++c) {
      const auto step = load_as<Floats8>(x[c].scale(slice));
      const Floats8 first_scale = scale[0] * step,
                    second_scale = F::has_two_scales ? scale[1] * step : first_scale;
      KG_UNROLL for (u32 part = 0; part < 2; ++part) {
        const auto first =
                       multiply_bytes<W>(q[part][0], load_as<SignedBytes64>(x[c].words(slice + 4 * part, 0))),
                   second =
                       multiply_bytes<W>(q[part][1], load_as<SignedBytes64>(x[c].words(slice + 4 * part, 1)));
        if constexpr (F::has_two_scales) {
          sum[c] = multiply_add(to_floats(add_pairs(first)), in_words(first_scale, part), sum[c]);
          sum[c] = multiply_add(to_floats(add_pairs(second)), in_words(second_scale, part), sum[c]);
        } else {
          const Ints16 dot = F::is_signed ? add_pairs(first) + add_pairs(second) : add_pairs(first + second);
          if constexpr (F::has_wide_scale)
            sum[c] = multiply_add(to_floats(dot) * in_words(scale[0], part) * in_words(step, part),
                                  in_words(up, part), sum[c]);
          else
            sum[c] = multiply_add(to_floats(dot), in_words(first_scale, part), sum[c]);
        }
      }
      if constexpr (F::has_offset || F::bias != 0) {
        const auto sums = load_as<Ints8>(x[c].sums(slice));
        if constexpr (F::has_two_scales) {
          const Floats8 both = multiply_add(offset[1], __builtin_convertvector(sums >> 16, Floats8),
                                            offset[0] * __builtin_convertvector(sums << 16 >> 16, Floats8));
          rest[c] = multiply_add(step, both, rest[c]);
        } else {
          rest[c] =
              multiply_add(step * offset[0], __builtin_convertvector(add_pairs(sums), Floats8), rest[c]);
        }
      }
    }
  }

 private:
  static KG_DEVICE Floats16 to_floats(Ints16 x) { return __builtin_convertvector(x, Floats16); }
};

/// Copies a column's last slices, from `slice` on (fewer than eight), zero-padded.
KG_DEVICE void copy_end(const QuantizedColumn& column, u32 slice, const QuantizedColumn& to) {
  const u32 count = column.slices - slice;
  __builtin_memset(to.at, 0, quantized_column_bytes(8 * slice_elements));
  for (int h = 0; h < 2; ++h) __builtin_memcpy(to.words(0, h), column.words(slice, h), 16 * count);
  __builtin_memcpy(to.scale(0), column.scale(slice), sizeof(f32) * count);
  __builtin_memcpy(to.sums(0), column.sums(slice), 2 * sizeof(i16) * count);
}

}  // namespace detail

/// CPUs do not stage rows.
template <class W>
KG_DEVICE constexpr u32 ring_bytes(u32) {
  return 0;
}

template <int columns, class W, class Prepare, class Column, class Store>
KG_DEVICE void multiply_rows(const BlockMatrix<W>& matrix, u32 first, u32 step, u32, u8*,
                             const Prepare& prepare, const Column& column, const Store& store) {
  constexpr u64 bytes = 8 / BlockFormat<W>::slices * sizeof(W);
  prepare();
  const u32 whole = matrix.slices / 8 * 8, left = matrix.slices - whole;
  alignas(64) u8 space[columns][quantized_column_bytes(8 * slice_elements)];
  QuantizedColumn x[columns], end[columns];
  for (int c = 0; c < columns; ++c) {
    x[c] = column(c);
    end[c] = {space[c], 8};
    if (left > 0) detail::copy_end(x[c], whole, end[c]);
  }
  for (u32 row = first; row < matrix.rows; row += step) {
    const u8* at = matrix.row(row);
    detail::RowProduct<W, columns> product;
    for (u32 slice = 0; slice < whole; slice += 8, at += bytes) {
      prefetch(at + detail::bytes_ahead, bytes);
      product.add(at, x, slice);
    }
    if (BlockFormat<W>::slices < 8 && left > 0) {
      u8 blocks[bytes] = {};
      __builtin_memcpy(blocks, at, left / BlockFormat<W>::slices * sizeof(W));
      product.add(blocks, end, 0);
    }
    for (int c = 0; c < columns; ++c) store(row, c, detail::sum_of(product.sum[c], product.rest[c]));
  }
}

}  // namespace kg
