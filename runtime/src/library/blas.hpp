#pragma once
#include "library/matrix_product.hpp"

namespace kernelgen {

/// cblas_sgemm and cblas_dgemm. CBLAS_ORDER, CBLAS_TRANSPOSE and the library's int, as the reference implementation has
/// them; tests/headers compares.
template <class F>
using CblasGemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, F alpha,
                           const F* a, int lda, const F* b, int ldb, F beta, F* c, int ldc);
namespace cblas {
constexpr int row_major = 101, no_transpose = 111, transpose = 112;
}

/// A CBLAS library of the system, for the CPU, opened at first use. Multiplies f32 and f64, one slice per
/// call.
class Blas final : public MatrixLibrary {
 public:
  /// Null if no library is found, or KERNELGEN_BLAS_LIBRARY is `none`. Throws Error(unsupported) if the
  /// library that variable names cannot be used.
  static const Blas* find();

  static bool takes(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }
  bool multiply(const MatrixProduct& product, void* stream) const override;

 private:
  template <class F>
  using Gemm = CblasGemm<F>;

  Blas(Gemm<float> sgemm, Gemm<double> dgemm) : sgemm_(sgemm), dgemm_(dgemm) {}
  static const Blas* open();
  template <class F>
  static void run(Gemm<F> gemm, const MatrixProduct& product, const BlasOperand& a, const BlasOperand& b);

  Gemm<float> sgemm_;
  Gemm<double> dgemm_;
};

}  // namespace kernelgen
