#pragma once
#include <cstdint>

#include "kernelgen/dtype.hpp"

namespace kernelgen {

/// One slice of a product, rows by terms times terms by columns, in host memory. Strides in elements.
struct BlasProduct {
  DType dtype;
  std::int64_t rows, columns, terms;
  const void* a;
  std::int64_t a_row, a_term;
  const void* b;
  std::int64_t b_term, b_column;
  void* y;  ///< contiguous
};

/// A CBLAS library of the system, opened at the first use. A vendor's library for a GPU would be its sibling.
class Blas {
 public:
  /// Null where there is none, or KERNELGEN_BLAS_LIBRARY is `none`. Throws Error(unsupported) when the library
  /// that variable names cannot be used.
  static const Blas* find();

  /// Whether it computes such a product: f32 or f64, a row or column stride of one, sizes of 32 bits.
  static bool takes(const BlasProduct& product);
  void multiply(const BlasProduct& product) const;

 private:
  // CBLAS_ORDER, CBLAS_TRANSPOSE and the library's int, as the reference implementation has them.
  template <class F>
  using Gemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, F alpha, const F* a,
                        int lda, const F* b, int ldb, F beta, F* c, int ldc);

  Blas(Gemm<float> sgemm, Gemm<double> dgemm) : sgemm_(sgemm), dgemm_(dgemm) {}
  static const Blas* open();
  template <class F>
  static void run(Gemm<F> gemm, const BlasProduct& product);

  Gemm<float> sgemm_;
  Gemm<double> dgemm_;
};

}  // namespace kernelgen
