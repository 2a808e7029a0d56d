#ifndef KERNELGEN_C_REDUCE_H
#define KERNELGEN_C_REDUCE_H
/* Many elements into one, along any dims of any layout. Included by operations.h.
 *
 * `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be NULL when there are
 * none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is not 0,
 * with 1 in their place. Results are the same each time on one device. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The narrow floats are summed in f32; integers in 64 bits, and wrap. Of no element: 0. */
kernelgen_status kernelgen_sum(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* Integers: divided toward zero. Of no element: NaN, for integers 0. */
kernelgen_status kernelgen_mean(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* Of no element: 1. */
kernelgen_status kernelgen_prod(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* NaN wins. Errors: KERNELGEN_INVALID_ARGUMENT where there is no element. */
kernelgen_status kernelgen_min(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_max(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* u8: 1 where any, or every, element is not zero (NaN is not). Of no element: 0, or 1. */
kernelgen_status kernelgen_any(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_all(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* u32: the place of the least, or greatest, element along `*dim`, or in row-major order of all elements where
 * `dim` is NULL. The first of several; the first NaN if there is one. Errors: KERNELGEN_INVALID_ARGUMENT where
 * there is no element, or more than 2^32 - 1. */
kernelgen_status kernelgen_argmin(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
kernelgen_status kernelgen_argmax(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* The least, or greatest, element along `*dim`, or of all where `dim` is NULL, and its place as kernelgen_argmin, or
 * kernelgen_argmax, gives it, in one pass. Of what compares equal the first: a NaN is the first there is, as a quiet
 * one, and a zero may have lost its sign. `out_values`, of x's dtype, and `out_indices`, u32, are written where they
 * are not NULL, each memory of its own; then `values`, or `indices`, may be NULL. Errors:
 * KERNELGEN_INVALID_ARGUMENT as theirs. */
kernelgen_status kernelgen_min_with_index(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                          const kernelgen_tensor* out_values,
                                          const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                          kernelgen_tensor** values, kernelgen_tensor** indices);
kernelgen_status kernelgen_max_with_index(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                          const kernelgen_tensor* out_values,
                                          const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                          kernelgen_tensor** values, kernelgen_tensor** indices);

#ifdef __cplusplus
}
#endif

#endif
