/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_SCAN_H
#define KERNELGEN_C_SCAN_H
/* Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The inclusive prefix sum along `dim`; a negative `dim` counts from the end. Every dtype; x of any
 * layout, of rank 1 or more. `out` may be x itself if it is contiguous. Integers wrap. Floats narrower
 * than f64 are summed in f32, f64 in f64, and each element is rounded once; an element that sums n terms
 * has the error bound of sum. NaN and infinities propagate to all later elements. Results are
 * deterministic on one device. Errors: KERNELGEN_INVALID_ARGUMENT for a dim out of range. */
kernelgen_status kernelgen_cumsum(const kernelgen_tensor* x, int64_t dim, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
