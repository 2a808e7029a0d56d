#ifndef KERNELGEN_C_SCAN_H
#define KERNELGEN_C_SCAN_H
/* Prefix sums. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Inclusive prefix sum along `dim`; a negative `dim` counts from the end. Every dtype; x has any layout and
 * rank 1 or more; `out` may be x itself if x is contiguous. Integers wrap. bf16, f16, f8e4m3 and f32 are
 * summed in f32, f64 in f64; each result is rounded once. NaN and infinities propagate to all later elements.
 * Bit-identical between runs on a given device. Errors: KERNELGEN_INVALID_ARGUMENT for a dim out of range. */
kernelgen_status kernelgen_cumsum(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
