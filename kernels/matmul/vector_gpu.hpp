#pragma once
/// Products of matrices and a vector on GPUs.
#include "engines/grid_stride.hpp"
#include "matmul/matrix_vector.hpp"
#include "matmul/results.hpp"
#include "plan/matmul.hpp"

namespace kg::detail {

/// This thread's partial dot product: terms rank, rank + size, … Several loads are in flight.
template <class T, class X>
KG_DEVICE widened<T> strided_dot(const T* a, i64 a_step, const X* x, i64 x_step, u64 terms, u32 rank,
                                 u32 size) {
  using F = widened<T>;
  F total = 0;
  const u64 chunk = u64{size} * 32;
  constexpr u32 together = loads_in_flight;
  for (u64 first = rank; first < terms; first += chunk) {
    const u64 end = terms - first < chunk ? terms : first + chunk;
    F part = 0;
    for (u64 t = first; t < end; t += together * size) {
      T p[together];
      X q[together];
      // The last one repeats for missing terms.
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        const auto at = static_cast<i64>(t + k * size < end ? t + k * size : end - 1);
        p[k] = a[at * a_step];
        q[k] = x[at * x_step];
      }
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        const F sum = native::fma(widen(p[k]), MatrixVector<T, X>::round(q[k]), part);
        part = t + k * size < end ? sum : part;
      }
    }
    total += part;
  }
  return total;
}

/// Sums of several rows.
template <class F, u32 rows>
struct RowSums {
  F at[rows] = {};
};

/// This thread's partial dot products of rows with the vector: packs rank, rank + size, … of contiguous terms. An element of
/// x is loaded and rounded once for all rows.
template <int W, u32 rows, class T, class X>
KG_DEVICE RowSums<widened<T>, rows> dots(const T* const (&a)[rows], const X* x, u64 terms, u32 rank,
                                         u32 size) {
  using F = widened<T>;
  constexpr u32 together = loads_in_flight / (rows > 1 ? rows : 2);  // packs of a row in flight
  RowSums<F, rows> total;
  const u64 packs = terms / W, chunk = u64{size} * 32;
  for (u64 first = rank; first < packs; first += chunk) {
    const u64 end = packs - first < chunk ? packs : first + chunk;
    RowSums<F, rows> part;
    for (u64 p = first; p < end; p += together * size) {
      Pack<T, W> held[together][rows];
      Pack<X, W> q[together];
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        const u64 at = (p + k * size < end ? p + k * size : p) * W;
        KG_UNROLL for (u32 r = 0; r < rows; ++r) held[k][r] = load_pack<W>(a[r] + at);
        q[k] = load_pack<W>(x + at);
      }
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        if (p + k * size >= end) continue;
        KG_UNROLL for (int e = 0; e < W; ++e) {
          const F value = MatrixVector<T, X>::round(q[k].get(e));
          KG_UNROLL for (u32 r = 0; r < rows; ++r) part.at[r] =
              native::fma(widen(held[k][r].get(e)), value, part.at[r]);
        }
      }
    }
    KG_UNROLL for (u32 r = 0; r < rows; ++r) total.at[r] += part.at[r];
  }
  if (rank == 0) {
    for (u64 t = packs * W; t < terms; ++t)
      KG_UNROLL for (u32 r = 0; r < rows; ++r) total.at[r] =
          native::fma(widen(a[r][t]), MatrixVector<T, X>::round(x[t]), total.at[r]);
  }
  return total;
}

/// One group of threads per result.
template <class T, class X, class Out, int N>
KG_DEVICE void multiply_vector_by_rows(const MatrixVector<T, X>& all, const Out& y, const Strided<N>& batch) {
  using F = widened<T>;
  constexpr int width = 16 / sizeof(T);
  const Group group(matvec_group(all.a.terms, sizeof(T)));
  const u64 rows = all.a.rows, results = rows * batch.elements;
  const u64 step = static_cast<u64>(grid_size()) * group.count;
  for (u64 first = static_cast<u64>(block_index()) * group.count; first < results; first += step) {
    const u64 index = first + group.index;
    const bool mine = group.index < group.count && index < results;
    F sum = 0;
    if (mine) {
      const MatrixVector<T, X> x = all.slice(batch, static_cast<u32>(index / rows));
      const T* const a[1] = {x.a.data + static_cast<i64>(index % rows) * x.a.row_stride};
      const bool whole = x.a.term_stride == 1 && x.b.term_stride == 1 && is_aligned<width>(a[0]) &&
                         is_aligned<width>(x.b.data);
      sum = whole ? dots<width>(a, x.b.data, x.a.terms, group.rank, group.size).at[0]
                  : strided_dot(a[0], x.a.term_stride, x.b.data, x.b.term_stride, x.a.terms, group.rank,
                                group.size);
    }
    sum = group_reduce(group, sum, [](F p, F q) KG_INLINE { return p + q; });
    if (mine && group.rank == 0) put_result(y, index, rows, 1, batch, sum);
  }
}

/// Whether rows and vector of a single product allow accesses of 16 bytes.
template <class T, class X>
KG_DEVICE bool is_of_packs(const MatrixVector<T, X>& x) {
  constexpr int width = 16 / sizeof(T);
  return x.a.term_stride == 1 && x.b.term_stride == 1 && x.a.row_stride % width == 0 &&
         is_aligned<width>(x.a.data) && is_aligned<width>(x.b.data);
}

/// Rows of a matrix, row_of(i) for row i, and the vector that they are multiplied with.
template <class X, class RowOf>
struct SumOperands {
  const X* x;
  RowOf row_of;
};
template <class X, class RowOf>
KG_DEVICE SumOperands<X, RowOf> sum_operands(const X* x, const RowOf& row_of) {
  return {x, row_of};
}

/// Sums of `lines` rows: a group of threads takes matvec_together of them at a time, from `first` on, with operands_at(first), and
/// its first thread calls put(first, sums).
template <class T, class OperandsAt, class Put>
KG_DEVICE void for_each_sum(u64 lines, u64 terms, const OperandsAt& operands_at, const Put& put) {
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
      const auto operands = operands_at(first);
      const T* a[matvec_together];
      // Rows past the end repeat the last one.
      KG_UNROLL for (u32 r = 0; r < matvec_together; ++r) a[r] =
          operands.row_of(first + r < lines ? first + r : lines - 1);
      sums = dots<width>(a, operands.x, terms, group.rank, group.size);
    }
    sums = group_reduce(group, sums, [](const Sums& p, const Sums& q) KG_INLINE {
      Sums both;
      KG_UNROLL for (u32 r = 0; r < matvec_together; ++r) both.at[r] = p.at[r] + q.at[r];
      return both;
    });
    if (mine && group.rank == 0) put(first, sums);
  }
}

/// One group of threads per matvec_together results, for operands of packs.
template <class T, class X, class Out, int N>
KG_DEVICE void multiply_vector_together(const MatrixVector<T, X>& x, const Out& y, const Strided<N>& batch) {
  const u64 rows = x.a.rows;
  const auto operands = sum_operands(
      x.b.data, [&](u64 row) KG_INLINE { return x.a.data + static_cast<i64>(row) * x.a.row_stride; });
  for_each_sum<T>(
      rows, x.a.terms, [&](u64) KG_INLINE { return operands; },
      [&](u64 first, const auto& sums) KG_INLINE {
        KG_UNROLL for (u32 r = 0; r < matvec_together; ++r) if (first + r < rows)
            put_result(y, first + r, rows, 1, batch, sums.at[r]);
      });
}

/// Consecutive threads take consecutive results, which are contiguous in the matrix; the block's other
/// threads take other terms of the same results.
template <class T, class X, class Out, int N>
KG_DEVICE void multiply_vector_by_terms(const MatrixVector<T, X>& all, const Out& y,
                                        const Strided<N>& batch) {
  using F = widened<T>;
  // A block of 1024 threads has one sum per thread.
  KG_SHARED F sums[1024];
  const u32 width = block_size() < matvec_strip ? block_size() : matvec_strip;
  const u32 shares = block_size() / width, share = thread_index() / width, line = thread_index() % width;
  const u64 rows = all.a.rows, strips = (rows + width - 1) / width;
  for (u64 strip = block_index(); strip < strips * batch.elements; strip += grid_size()) {
    const u32 slice = static_cast<u32>(strip / strips);
    const u64 row = strip % strips * width + line;
    const MatrixVector<T, X> x = all.slice(batch, slice);
    F sum = 0;
    if (row < rows && share < shares)
      sum = strided_dot(x.a.data + static_cast<i64>(row) * x.a.row_stride, x.a.term_stride, x.b.data,
                        x.b.term_stride, x.a.terms, share, shares);
    sync();  // the previous strip may still be read
    sums[thread_index()] = sum;
    sync();
    if (share == 0 && row < rows) {
      for (u32 s = 1; s < shares; ++s) sum += sums[s * width + line];
      put_in_slice(y, slice, rows, row, 1, batch, sum);
    }
  }
}

template <class T, class X, class Out, int N>
KG_DEVICE void multiply_vector(const MatrixVector<T, X>& all, const Out& y, const Strided<N>& batch) {
  if (matvec_by_strips(all.a.rows, all.a.row_stride, all.a.term_stride))
    multiply_vector_by_terms(all, y, batch);
  else if (are_rows_together(all.a.rows, u64{batch.elements}, all.a.terms, sizeof(T)) && is_of_packs(all))
    multiply_vector_together(all, y, batch);
  else
    multiply_vector_by_rows(all, y, batch);
}

}  // namespace kg::detail
