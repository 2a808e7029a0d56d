#pragma once
/// A block of rows and a block of keys on CPUs. Both products are register tiles; logits and weights stay in
/// L1 in between, one row of the buffer per key, one lane per query row.
#include "attention/semantics.hpp"
#include "matmul/matmul_cpu.hpp"

namespace kg::detail {

/// Query rows times keys of a block. Each row of `logits` belongs to one key. Padding of the last tiles is
/// stored but unspecified.
struct AttentionBlock {
  using B = Blocking<f32>;
  using Vector = B::Vector;
  static constexpr u32 rows = attention_cpu_rows, keys = 84;
  static constexpr u32 down_rows = (rows + B::down - 1) / B::down * B::down;
  static_assert(rows % B::across == 0 && keys % B::down == 0);
  /// Strides of element rows and of logits: an odd number of cache lines, so that a column uses all cache
  /// sets.
  static constexpr u32 pitch = attention_widest + 16, logit_pitch = rows + 16;
  static_assert(down_rows <= logit_pitch);

  alignas(64) f32 queries[rows * attention_widest];  ///< panels of B::across rows
  alignas(64) f32 k[keys][pitch];
  alignas(64) f32 v[keys][pitch];
  alignas(64) f32 logits[keys][logit_pitch];
  alignas(64) f32 sums[down_rows][pitch];
};

/// Computes B::down rows and B::across columns of left[i][t] · right[t][j]. The left operand is contiguous
/// along terms (by_rows) or along rows. Adds to `to` or overwrites it.
template <bool by_rows, bool adds>
__attribute__((noinline, min_vector_width(8 * vector_bytes))) void multiply_tile(const f32* left,
                                                                                 const f32* right,
                                                                                 u32 right_step, u32 terms,
                                                                                 f32* to) {
  using A = AttentionBlock;
  using B = A::B;
  using Vector = A::Vector;
  constexpr u32 left_row = by_rows ? A::pitch : 1, left_term = by_rows ? 1 : A::logit_pitch;
  constexpr u32 to_pitch = by_rows ? A::logit_pitch : A::pitch;
  Vector part[B::down][2];
  KG_UNROLL for (u32 i = 0; i < B::down; ++i) part[i][0] = part[i][1] = Vector(0.0f);
  for (u32 t = 0; t < terms; ++t, left += left_term, right += right_step) {
    const Vector b0 = *reinterpret_cast<const Vector*>(right);
    const Vector b1 = *reinterpret_cast<const Vector*>(right + B::lanes);
    KG_UNROLL for (u32 i = 0; i < B::down; ++i) {
      const Vector a = Vector(left[i * left_row]);
      part[i][0] = multiply_add(a, b0, part[i][0]);
      part[i][1] = multiply_add(a, b1, part[i][1]);
    }
  }
  KG_UNROLL for (u32 i = 0; i < B::down; ++i) {
    Vector* line = reinterpret_cast<Vector*>(to + i * to_pitch);
    line[0] = adds ? line[0] + part[i][0] : part[i][0];
    line[1] = adds ? line[1] + part[i][1] : part[i][1];
  }
}

/// Converts `count` contiguous elements to f32. Returns whether all are finite.
template <class T>
KG_DEVICE bool widen_row(const T* from, u32 count, f32* to) {
  using Vector = AttentionBlock::Vector;
  constexpr u32 lanes = AttentionBlock::B::lanes;
  Vector zeros = Vector(0.0f);
  u32 i = 0;
  for (; i + lanes <= count; i += lanes) {
    const Vector x = load_vector(from + i);
    zeros += x * 0.0f;
    *reinterpret_cast<Vector*>(to + i) = x;
  }
  f32 zero = 0;
  for (; i < count; ++i) {
    to[i] = widen(from[i]);
    zero += to[i] * 0.0f;
  }
  for (u32 l = 0; l < lanes; ++l) zero += zeros[l];
  return zero == 0;
}
template <class T>
KG_DEVICE bool widen_row(const QueryRow<T>& from, u32 count, f32* to) {
  return from.is_f32 ? widen_row(reinterpret_cast<const f32*>(from.data), count, to)
                     : widen_row(from.data, count, to);
}

}  // namespace kg::detail
