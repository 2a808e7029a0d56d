#pragma once
#include "matmul/matmul_gpu.hpp"

namespace kg::detail {

/// Sums of `lines` rows with x, where row_of(i) is row i: a group of threads takes matvec_together of them at a time, from `first`
/// on, and its first thread calls put(first, sums).
template <class T, class RowOf, class Put>
KG_DEVICE void for_each_sum(const f32* x, u64 lines, u64 terms, const RowOf& row_of, const Put& put) {
  using Sums = RowSums<widened<T>, matvec_together>;
  constexpr int width = 16 / sizeof(T);
  const Group group(matvec_together_group(lines, terms, sizeof(T)));
  const u64 step = static_cast<u64>(grid_size()) * group.count * matvec_together;
  for (u64 begin = static_cast<u64>(block_index()) * group.count * matvec_together; begin < lines;
       begin += step) {
    const u64 first = begin + group.index * matvec_together;
    const bool mine = group.index < group.count && first < lines;
    Sums sums;
    if (mine) {
      const T* a[matvec_together];
      // Rows past the end repeat the last one.
      KG_UNROLL for (u32 r = 0; r < matvec_together; ++r) a[r] =
          row_of(first + r < lines ? first + r : lines - 1);
      sums = dots<width>(a, x, terms, group.rank, group.size);
    }
    sums = group_reduce(group, sums, [](const Sums& p, const Sums& q) KG_INLINE {
      Sums both;
      KG_UNROLL for (u32 r = 0; r < matvec_together; ++r) both.at[r] = p.at[r] + q.at[r];
      return both;
    });
    if (mine && group.rank == 0) put(first, sums);
  }
}

template <class T>
KG_DEVICE void multiply_each(const VectorProduct<T>& first, const VectorProduct<T>& second,
                             const VectorProduct<T>& third, const f32* x, u64 terms) {
  const u64 two = first.rows + second.rows, lines = two + third.rows;
  for_each_sum<T>(
      x, lines, terms,
      [&](u64 i) KG_INLINE {
        return i < first.rows ? first.row(i) : i < two ? second.row(i - first.rows) : third.row(i - two);
      },
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
  for_each_sum<T>(
      x, 2 * gates.rows, terms,
      [&](u64 i) KG_INLINE { return i % 2 == 0 ? gates.row(i / 2) : others.row(i / 2); },
      [&](u64 at, const auto& sums) KG_INLINE {
        KG_UNROLL for (u32 r = 0; r < matvec_together; r += 2) if (at / 2 + r / 2 < gates.rows)
            gates.y[at / 2 + r / 2] = gated(gate, sums.at[r], sums.at[r + 1]);
      });
}

}  // namespace kg::detail
