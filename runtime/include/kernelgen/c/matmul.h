#ifndef KERNELGEN_C_MATMUL_H
#define KERNELGEN_C_MATMUL_H
/* Matrix multiplication. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* [batch..., m, k] times [batch..., k, n]: bf16, f16, f32, f64, f8e4m3, the same dtype for both, rank 2 to 8,
 * any layout. Batch dims are broadcast by NumPy's rule. k = 0 gives zeros. `out` must not overlap an input.
 * On the CPU, large f32 and f64 products use the system's OpenBLAS, MKL or BLIS. On GPUs, most products use
 * cuBLASLt, or hipBLASLt and rocBLAS. The environment variables KERNELGEN_BLAS_LIBRARY,
 * KERNELGEN_CUBLASLT_LIBRARY, KERNELGEN_HIPBLASLT_LIBRARY and KERNELGEN_ROCBLAS_LIBRARY select another
 * library, or `none`. */
kernelgen_status kernelgen_matmul(const kernelgen_tensor* a, const kernelgen_tensor* b,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
