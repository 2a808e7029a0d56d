#pragma once
#include "kernelgen/call.hpp"

/// Matrix products: bf16, f16, f32, f64, f8e4m3.
namespace kernelgen {

/// y[…, i, j] = Σ_t a[…, i, t] · b[…, t, j] for a of shape [batch…, m, k] and b of [batch…, k, n], both of
/// one dtype and of rank 2 or more. Batch dims are broadcast by NumPy's rule. Sums are accumulated in f32,
/// for f64 in f64, and rounded once; k = 0 gives zeros. `options.out` must not overlap an input.
///
/// f16 and bf16 give f32, the sums without rounding, if `options.out` is f32. a may then be f32 itself, with
/// or without `options.out`: it is rounded to b's dtype first, as activations are for 16-bit weights.
///
/// On the CPU, large f32 and f64 products use OpenBLAS, MKL or BLIS if the system has one of them. CUDA
/// devices use cuBLASLt for most f16, bf16, f32 and f64 products, HIP devices hipBLASLt or rocBLAS. The
/// environment variables KERNELGEN_BLAS_LIBRARY, KERNELGEN_CUBLASLT_LIBRARY, KERNELGEN_HIPBLASLT_LIBRARY and
/// KERNELGEN_ROCBLAS_LIBRARY name the library to use instead, or `none`. Throws Error(unsupported) if a named
/// library cannot be opened, and Error(device) with the error that a library reports. A BLAS uses its own
/// threads.
Tensor matmul(const Tensor& a, const Tensor& b, const CallOptions& options = {});

}  // namespace kernelgen
