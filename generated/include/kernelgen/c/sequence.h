/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_SEQUENCE_H
#define KERNELGEN_C_SEQUENCE_H
/* Numbers in sequence. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* start, start + step, start + 2 · step, …, up to but without `stop`: ceil((stop - start) / step)
 * elements, none if that is negative. Every dtype; elements of floats are computed in f64 and rounded
 * once. Errors: KERNELGEN_INVALID_ARGUMENT for a step of 0, for numbers that are not finite and, if the
 * dtype is an integer, for numbers that are not, or a start that is outside its range. */
kernelgen_status kernelgen_arange(const kernelgen_device* device, kernelgen_scalar start,
                                  kernelgen_scalar stop, kernelgen_scalar step, kernelgen_dtype dtype,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* The sinusoidal embedding of points in time, as in diffusion models: x [n] of floats becomes [n,
 * columns], of x's dtype. Row i has cos(x[i] · f_j), then sin(x[i] · f_j), for each j below half = columns
 * / 2, and a zero if `columns` is odd; f_j = max_period^(-j / half). x has any layout. */
kernelgen_status kernelgen_timestep_embedding(const kernelgen_tensor* x, int64_t columns, double max_period,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
