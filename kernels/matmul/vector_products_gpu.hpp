#pragma once
#include "matmul/vector_gpu.hpp"

namespace kg::detail {

template <class T>
KG_DEVICE void multiply_each(const VectorProduct<T>& first, const VectorProduct<T>& second,
                             const VectorProduct<T>& third, const f32* x, u64 terms) {
  const u64 two = first.rows + second.rows, lines = two + third.rows;
  const auto operands = sum_operands(x, [&](u64 i) KG_INLINE {
    return i < first.rows ? first.row(i) : i < two ? second.row(i - first.rows) : third.row(i - two);
  });
  for_each_sum<T>(
      lines, terms, [&](u64) KG_INLINE { return operands; },
      [&](u64 at, const auto& sums) KG_INLINE {
        KG_UNROLL for (u32 r = 0; r < matvec_together; ++r) {
          const u64 i = at + r;
          if (i < first.rows)
            first.y[i] = sums.at[r];
          else if (i < two)
            second.y[i - first.rows] = sums.at[r];
          else if (i < lines)
            third.y[i - two] = sums.at[r];
        }
      });
}

/// Rows of both matrices alternate, so that a thread has the two sums of a result.
template <class T>
KG_DEVICE void multiply_gated(const VectorProduct<T>& gates, const VectorProduct<T>& others, const f32* x,
                              u64 terms, GateType gate) {
  static_assert(matvec_together % 2 == 0, "both rows of a result are taken together");
  const auto operands =
      sum_operands(x, [&](u64 i) KG_INLINE { return i % 2 == 0 ? gates.row(i / 2) : others.row(i / 2); });
  for_each_sum<T>(
      2 * gates.rows, terms, [&](u64) KG_INLINE { return operands; },
      [&](u64 at, const auto& sums) KG_INLINE {
        KG_UNROLL for (u32 r = 0; r < matvec_together; r += 2) if (at / 2 + r / 2 < gates.rows)
            gates.y[at / 2 + r / 2] = gated(gate, sums.at[r], sums.at[r + 1]);
      });
}

}  // namespace kg::detail
