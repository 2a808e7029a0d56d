#pragma once
/// A slice of a row is put together in a vector and met with every column's.
#include "engines/quantized_product.hpp"

namespace kg {

namespace detail {

using Bytes32 = i8 __attribute__((vector_size(32)));
using Shorts32 = i16 __attribute__((vector_size(64)));
using Ints16 = i32 __attribute__((vector_size(64)));
using Floats16 = f32 __attribute__((vector_size(64)));

/// Sums of products of neighbours.
KG_DEVICE Ints16 multiply_pairs(Shorts32 a, Shorts32 b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Ints16>(__builtin_ia32_pmaddwd512(a, b));
#else
  Ints16 sums;
  for (int i = 0; i < 16; ++i) sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
#endif
}

KG_DEVICE f32 sum_of(Floats16 x) {
  f32 part[8];
  for (int i = 0; i < 8; ++i) part[i] = x[i] + x[i + 8];
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

/// The first value in the first half of a vector, the second in the other.
KG_DEVICE Floats16 halves(f32 first, f32 second) {
  Floats16 both;
  for (int i = 0; i < 16; ++i) both[i] = i < 8 ? first : second;
  return both;
}

}  // namespace detail

template <class W, u32 waves>
struct ProductStages {
  static constexpr u32 words = 1;
};

template <int columns, u32 waves, class W, class Prepare, class Column, class Store>
KG_DEVICE void multiply_rows(const BlockMatrix<W>& matrix, u64 first, u64 step, u32, u32*,
                             const Prepare& prepare, const Column& column, const Store& store) {
  using F = BlockFormat<W>;
  constexpr bool needs_sums = F::has_offset || F::bias != 0;
  prepare();
  QuantizedColumn x[columns];
  for (int c = 0; c < columns; ++c) x[c] = column(c);
  for (u64 row = first; row < matrix.rows; row += step) {
    const u8* const at = matrix.row(row);
    detail::Floats16 sum[columns] = {};
    f32 rest[columns] = {};
    for (u32 b = 0; b < matrix.slices / F::slices; ++b) {
      const BlockInMemory<alignof(W)> block{at + u64{b} * sizeof(W)};
      KG_UNROLL for (u32 s = 0; s < F::slices; ++s) {
        const u32 slice = b * F::slices + s;
        alignas(32) u32 word[slice_words];
        KG_UNROLL for (u32 w = 0; w < slice_words; ++w) word[w] = F::word(block, s, w);
        detail::Bytes32 bytes;
        __builtin_memcpy(&bytes, word, sizeof(bytes));
        const auto q = __builtin_convertvector(bytes, detail::Shorts32);
        const f32 scale0 = F::scale(block, s, 0), scale1 = F::has_two_scales ? F::scale(block, s, 1) : scale0;
        f32 offset0 = scale0 * static_cast<f32>(-F::bias), offset1 = scale1 * static_cast<f32>(-F::bias);
        if constexpr (F::has_offset) {
          offset0 += F::offset(block, s, 0);
          offset1 += F::offset(block, s, 1);
        }
        KG_UNROLL for (int c = 0; c < columns; ++c) {
          detail::Bytes32 other;
          __builtin_memcpy(&other, x[c].words(slice, 0), 16);
          __builtin_memcpy(reinterpret_cast<char*>(&other) + 16, x[c].words(slice, 1), 16);
          const auto dot = detail::multiply_pairs(q, __builtin_convertvector(other, detail::Shorts32));
          const f32 d = *x[c].scale(slice);
          sum[c] +=
              __builtin_convertvector(dot, detail::Floats16) *
              (F::has_two_scales ? detail::halves(scale0 * d, scale1 * d) : detail::Floats16{} + scale0 * d);
          if constexpr (needs_sums) {
            const i16* const sums = x[c].sums(slice);
            rest[c] += d * (offset0 * static_cast<f32>(sums[0]) + offset1 * static_cast<f32>(sums[1]));
          }
        }
      }
    }
    for (int c = 0; c < columns; ++c) store(row, c, detail::sum_of(sum[c]) + rest[c]);
  }
}

}  // namespace kg
