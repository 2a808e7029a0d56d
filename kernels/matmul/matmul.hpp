#pragma once
/// Matrix products and matrix-vector products. Sums are accumulated in f32 (f64 for f64), in parts of a few
/// hundred terms, and rounded once. y is contiguous. Correct for every grid and block size.
#include "device/dialect.hpp"

#if KG_GPU
#include "matmul/matmul_gpu.hpp"
#else
#include "matmul/matmul_cpu.hpp"
#endif

namespace kg {

/// y[s, i, j] = Σ_t a[s, i, t] · b[s, t, j] for the slices s of a batch. Strides are in elements and
/// arbitrary.
template <class T, class Y>
KG_DEVICE void matmul(const T* a, const T* b, Y* y, u64 rows, u64 columns, u64 terms, i64 a_row, i64 a_term,
                      i64 b_term, i64 b_column, const Strided<2>& batch) {
  detail::multiply_tiles<T>({{a, rows, terms, a_row, a_term}, {b, columns, terms, b_column, b_term}}, y,
                            batch);
}

/// y[s, i] = Σ_t a[s, i, t] · x[s, t], with x rounded to T.
template <class T, class X, class Y>
KG_DEVICE void matvec(const T* a, const X* x, Y* y, u64 rows, u64 terms, i64 a_row, i64 a_term, i64 x_term,
                      const Strided<2>& batch) {
  detail::multiply_vector<T, X>({{a, rows, terms, a_row, a_term}, {x, x_term}}, y, batch);
}

}  // namespace kg
