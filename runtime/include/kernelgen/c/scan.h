#ifndef KERNELGEN_C_SCAN_H
#define KERNELGEN_C_SCAN_H
/* Sums along a dim. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sum of each element and all before it along `dim`, which counts from the end where negative. Every dtype; x of
 * any layout, of rank 1 or more; `out` may be x itself, contiguous. Integers wrap. The narrow floats and f32 are summed
 * in f32, f64 in f64, and each element is rounded once. NaN and infinities stay in what follows them. The same bits
 * each time on one device. Errors: KERNELGEN_INVALID_ARGUMENT for a dim that is not there. */
kernelgen_status kernelgen_cumsum(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
