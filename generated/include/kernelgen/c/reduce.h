/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_REDUCE_H
#define KERNELGEN_C_REDUCE_H
/* Reductions along any dims of any layout.
 *
 * Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
 * those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
 * each element with 0).
 *
 * Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
 * terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
 * f32 for bf16, f16, f8e4m3 and f32, f64 for f64. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Integers are summed in 64 bits and wrap. An empty reduction gives 0. */
kernelgen_status kernelgen_sum(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* Integers: the sum in 64 bits, divided toward zero. An empty reduction gives NaN, for integers 0. */
kernelgen_status kernelgen_mean(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* An empty reduction gives 1. */
kernelgen_status kernelgen_prod(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* If an element is NaN, the result is NaN. Errors: KERNELGEN_INVALID_ARGUMENT for an empty reduction. */
kernelgen_status kernelgen_min(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_max(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for
 * any, 1 for all. */
kernelgen_status kernelgen_any(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_all(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the index
 * among all elements in row-major order. Of equal elements it is the first; of NaNs, which win over
 * numbers, the first NaN. Errors: KERNELGEN_INVALID_ARGUMENT for an empty reduction, and for more than
 * 2^32 - 1 elements along the reduced extent. */
kernelgen_status kernelgen_argmin(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
kernelgen_status kernelgen_argmax(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax gives
 * it, in one pass. Of equal elements it is the first; the first NaN wins over numbers and is returned
 * quiet; a zero may lose its sign. Errors as argmin and argmax. Results: `values`, of the input's dtype;
 * `indices`, u32. */
kernelgen_status kernelgen_min_with_index(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                          const kernelgen_tensor* out_values,
                                          const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                          kernelgen_tensor** values, kernelgen_tensor** indices);
kernelgen_status kernelgen_max_with_index(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                          const kernelgen_tensor* out_values,
                                          const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                          kernelgen_tensor** values, kernelgen_tensor** indices);
/* A reduction of the device's packages by name, the library's or one that a manifest defines ("reduce").
 * Errors: KERNELGEN_NOT_FOUND with the nearest name; for an empty reduction by a functor with "state"
 * extreme or index KERNELGEN_INVALID_ARGUMENT. */
kernelgen_status kernelgen_reduce(const char* operation, const kernelgen_tensor* x, size_t dim_count,
                                  const int64_t* dims, int keep_dims, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* As reduce(), for a reduction of several inputs, which are broadcast to a common shape with these dims,
 * or with scalars. Errors: KERNELGEN_INVALID_ARGUMENT if there are others than the manifest has. */
kernelgen_status kernelgen_reduce_inputs(const char* operation, const kernelgen_tensor* const* inputs,
                                         size_t input_count, size_t dim_count, const int64_t* dims,
                                         int keep_dims, const kernelgen_scalar* scalars, size_t scalar_count,
                                         const kernelgen_tensor* out, const kernelgen_stream* stream,
                                         kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
