#ifndef KERNELGEN_C_REDUCE_H
#define KERNELGEN_C_REDUCE_H
/* Reductions along any dims, of any layout. Included by operations.h.
 *
 * `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be NULL if `dim_count`
 * is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
 * `keep_dims` is not 0. Results are deterministic on a given device. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sum. bf16, f16 and f8e4m3 are summed in f32; integers in 64 bits, with wraparound. Empty: 0. */
kernelgen_status kernelgen_sum(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* Mean. Integers are divided toward zero. Empty: NaN, for integers 0. */
kernelgen_status kernelgen_mean(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* Product. Empty: 1. */
kernelgen_status kernelgen_prod(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                                int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* Minimum and maximum; NaN propagates. Errors: KERNELGEN_INVALID_ARGUMENT for an empty reduction. */
kernelgen_status kernelgen_min(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_max(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* Logical reductions to u8: 1 if any, or every, element is nonzero, else 0. NaN is nonzero. Empty: 0 for any,
 * 1 for all. */
kernelgen_status kernelgen_any(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
kernelgen_status kernelgen_all(const kernelgen_tensor* x, size_t dim_count, const int64_t* dims,
                               int keep_dims, const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* u32 index of the smallest, or largest, element along `*dim`, or in row-major order of all elements if `dim`
 * is NULL. Ties give the first index; NaN gives the first NaN's. Errors: KERNELGEN_INVALID_ARGUMENT for an
 * empty reduction, or for more than 2^32 - 1 elements. */
kernelgen_status kernelgen_argmin(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
kernelgen_status kernelgen_argmax(const kernelgen_tensor* x, const int64_t* dim, int keep_dims,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* The smallest, or largest, element along `*dim`, or of all elements if `dim` is NULL, and its index as in
 * kernelgen_argmin, or kernelgen_argmax, in one pass. If elements compare equal, the first one is returned. A
 * NaN is the first NaN, as a quiet NaN; a zero may lose its sign. `out_values`, of x's dtype, and
 * `out_indices`, u32, are written if they are not NULL, and must not overlap other tensors; then `values`, or
 * `indices`, may be NULL. Errors: KERNELGEN_INVALID_ARGUMENT as for kernelgen_argmin. */
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
