#ifndef KERNELGEN_C_SORT_H
#define KERNELGEN_C_SORT_H
/* Sorting and top-k. kernelgen_sort and kernelgen_arg_sort sort along the last dim, of any length; every
 * dtype; x has any layout and rank 1 or more. The sort is stable in both directions. -0 equals +0, and NaN is
 * last in both directions. The order is ascending if `ascending` is not 0, else descending. Included by
 * operations.h.
 *
 * Errors: KERNELGEN_INVALID_ARGUMENT for rank 0 and a last dim of more than 2^32 - 1. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns u32 indices of x's shape: result i along the last dim is the index of the i-th element in sorted
 * order. */
kernelgen_status kernelgen_arg_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* Returns the sorted elements, and their indices as in kernelgen_arg_sort. `out_values` and `out_indices` are
 * written if they are not NULL; then `values`, or `indices`, may be NULL. */
kernelgen_status kernelgen_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out_values,
                                const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                kernelgen_tensor** values, kernelgen_tensor** indices);
/* Returns the k largest elements along `dim` in descending order, and their indices along it. The results
 * have x's shape with extent k for that dim. Every dtype, any layout; a negative `dim` counts from the end.
 * The lower index wins ties, -0 equals +0, and NaN precedes every number, unlike in kernelgen_sort. Values
 * are copied bit for bit. `out_values`, of x's dtype, and `out_indices`, u32, are written if they are not
 * NULL, and must not overlap other tensors; then `values`, or `indices`, may be NULL. Errors:
 * KERNELGEN_INVALID_ARGUMENT for a dim out of range or with an extent of more than 2^32 - 1, and for a k
 * below 0 or above the dim's extent. */
kernelgen_status kernelgen_top_k(const kernelgen_tensor* x, int64_t k, int64_t dim,
                                 const kernelgen_tensor* out_values, const kernelgen_tensor* out_indices,
                                 const kernelgen_stream* stream, kernelgen_tensor** values,
                                 kernelgen_tensor** indices);

#ifdef __cplusplus
}
#endif

#endif
