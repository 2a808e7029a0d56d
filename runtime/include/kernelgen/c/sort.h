#ifndef KERNELGEN_C_SORT_H
#define KERNELGEN_C_SORT_H
/* kernelgen_sort and kernelgen_arg_sort work along the last dim, of any length; every dtype; x of any layout and
 * rank 1 or more. Equal elements keep their order, whichever way is sorted; -0 equals +0, and NaN comes after every
 * number both ways. The first element is the least where `ascending` is not 0, else the greatest. Included by
 * operations.h.
 *
 * Errors: KERNELGEN_INVALID_ARGUMENT for rank 0 and a last dim of more than 2^32 - 1. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* u32, of x's shape: the i-th along the last dim is the place there of the element that comes i-th. */
kernelgen_status kernelgen_arg_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* The elements themselves, and their places as kernelgen_arg_sort gives them. `out_values` and `out_indices`
 * are written where they are not NULL; then `values`, or `indices`, may be NULL. */
kernelgen_status kernelgen_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out_values,
                                const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                kernelgen_tensor** values, kernelgen_tensor** indices);
/* The k greatest elements along `dim`, in descending order, and their places along it; the results' shape is x's
 * with k in that dim's place. Every dtype, any layout; `dim` counts from the end where negative. Ties go by the lower
 * place, -0 equals +0, and NaN comes before every number, unlike in kernelgen_sort. Values keep their bits.
 * `out_values`, of x's dtype, and `out_indices`, u32, are written where they are not NULL, each memory of its own;
 * then `values`, or `indices`, may be NULL. Errors: KERNELGEN_INVALID_ARGUMENT for a dim that is not there, or of more
 * than 2^32 - 1, and a k below 0 or above the dim's extent. */
kernelgen_status kernelgen_top_k(const kernelgen_tensor* x, int64_t k, int64_t dim,
                                 const kernelgen_tensor* out_values, const kernelgen_tensor* out_indices,
                                 const kernelgen_stream* stream, kernelgen_tensor** values,
                                 kernelgen_tensor** indices);

#ifdef __cplusplus
}
#endif

#endif
