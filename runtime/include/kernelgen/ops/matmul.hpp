#pragma once
#include "kernelgen/call.hpp"

/// Products of matrices: bf16, f16, f32, f64, f8e4m3.
namespace kernelgen {

/// y[…, i, j] = Σ_t a[…, i, t] · b[…, t, j] for a of shape [batch…, m, k] and b of [batch…, k, n], both of one
/// dtype and of rank 2 or more. Batch dims are broadcast by NumPy's rule. Sums are kept in f32 (f64's in f64)
/// and rounded once; k = 0 gives zeros. `options.out` must not overlap an input.
///
/// On the CPU, large f32 and f64 products go to an OpenBLAS, MKL or BLIS where the system has one, on CUDA devices
/// most f16, bf16, f32 and f64 ones to cuBLASLt, on HIP devices to hipBLASLt or rocBLAS. The environment variables
/// KERNELGEN_BLAS_LIBRARY, KERNELGEN_CUBLASLT_LIBRARY, KERNELGEN_HIPBLASLT_LIBRARY and KERNELGEN_ROCBLAS_LIBRARY name the
/// library to use instead, or `none`; naming one that cannot be opened is Error(unsupported), and Error(device) tells what
/// a library reported. A BLAS's threads are its own.
Tensor matmul(const Tensor& a, const Tensor& b, const CallOptions& options = {});

}  // namespace kernelgen
