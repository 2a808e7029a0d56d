/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_SORT_H
#define KERNELGEN_C_SORT_H
/* sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or
 * more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both
 * directions. Errors: KERNELGEN_INVALID_ARGUMENT for rank 0 and for a last dim over 2^32 - 1. Included by
 * operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* u32, of x's shape: result[…, i] is the index, along the last dim, of the element at sorted position i. */
kernelgen_status kernelgen_arg_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* The sorted elements, and their indices as arg_sort gives them. A NaN keeps its bits, a zero its sign.
 * Results: `values`, of the input's dtype; `indices`, u32. */
kernelgen_status kernelgen_sort(const kernelgen_tensor* x, int ascending, const kernelgen_tensor* out_values,
                                const kernelgen_tensor* out_indices, const kernelgen_stream* stream,
                                kernelgen_tensor** values, kernelgen_tensor** indices);
/* The k greatest elements along `dim`, in descending order, and their indices along it: x's shape with
 * extent k in that dim. Every dtype; x of any layout. Equal elements are ordered by index, -0 equals +0,
 * and NaN comes before every number, as in max but unlike in sort. Without NaN the values are the first k
 * of sort(x, false). Values keep their bits. Long rows are not sorted; a radix select finds their k-th
 * element. Errors: KERNELGEN_INVALID_ARGUMENT for a dim out of range or over 2^32 - 1, and for a k below 0
 * or above the dim's extent. Results: `values`, of the input's dtype; `indices`, u32. */
kernelgen_status kernelgen_top_k(const kernelgen_tensor* x, int64_t k, int64_t dim,
                                 const kernelgen_tensor* out_values, const kernelgen_tensor* out_indices,
                                 const kernelgen_stream* stream, kernelgen_tensor** values,
                                 kernelgen_tensor** indices);

#ifdef __cplusplus
}
#endif

#endif
