#pragma once
/// Matrix products and matrix-vector products. Sums are accumulated in f32 (f64 for f64), in parts of a few
/// hundred terms, and rounded once. y, which results.hpp describes, is contiguous. Correct for every grid and block size.
#include "device/dialect.hpp"

#if KG_GPU
#include "matmul/matmul_gpu.hpp"
#include "matmul/vector_gpu.hpp"
#else
#include "matmul/matmul_cpu.hpp"
#endif

namespace kg {

/// y[s, i, j] = Σ_t a[s, i, t] · b[s, t, j] for the slices s of a batch. Strides are in elements and
/// arbitrary.
template <class T, class Out, int N>
KG_DEVICE void matmul(const T* a, const T* b, const Out& y, u64 rows, u64 columns, u64 terms, i64 a_row,
                      i64 a_term, i64 b_term, i64 b_column, const Strided<N>& batch) {
  detail::multiply_tiles<T>({{a, rows, terms, a_row, a_term}, {b, columns, terms, b_column, b_term}}, y,
                            batch);
}

/// y[s, i] = Σ_t a[s, i, t] · x[s, t], with x rounded to T.
template <class T, class X, class Out, int N>
KG_DEVICE void matvec(const T* a, const X* x, const Out& y, u64 rows, u64 terms, i64 a_row, i64 a_term,
                      i64 x_term, const Strided<N>& batch) {
  detail::multiply_vector<T, X>({{a, rows, terms, a_row, a_term}, {x, x_term}}, y, batch);
}

/// Results of products of T whose sums are in memory, as `widened<T>`. A block takes a row.
template <class T, class Out, int N>
KG_DEVICE void map_products(const void* products, const Out& y, u64 rows, u64 columns,
                            const Strided<N>& batch) {
  const auto* const sums = static_cast<const widened<T>*>(products);
  for (u64 line = block_index(); line < rows * batch.elements; line += grid_size()) {
    const u32 slice = static_cast<u32>(line / rows);
    const auto to = detail::results_at(detail::slice_of(y, slice, rows * columns, batch), line - slice * rows,
                                       0, columns);
    for (u64 j = thread_index(); j < columns; j += block_size())
      detail::address_of(to)[j] = detail::result_of(to, static_cast<i64>(j), sums[line * columns + j]);
  }
}

}  // namespace kg
