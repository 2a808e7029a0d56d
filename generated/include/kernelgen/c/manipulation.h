/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_MANIPULATION_H
#define KERNELGEN_C_MANIPULATION_H
/* Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
 * negative `dim` counts from the end. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The tensors one after the other along `dim`. They have one dtype, which may be quantized, and one shape,
 * except along `dim`, where any of them may be empty. Errors: KERNELGEN_INVALID_ARGUMENT without tensors. */
kernelgen_status kernelgen_concat(const kernelgen_tensor* const* tensors, size_t tensor_count, int64_t dim,
                                  const kernelgen_tensor* out, const kernelgen_stream* stream,
                                  kernelgen_tensor** result);
/* As concat, along a new dim: result[…, i, …] is tensor i. The tensors have one shape. A negative `dim`
 * counts from the end of the result's shape. */
kernelgen_status kernelgen_stack(const kernelgen_tensor* const* tensors, size_t tensor_count, int64_t dim,
                                 const kernelgen_tensor* out, const kernelgen_stream* stream,
                                 kernelgen_tensor** result);
/* x with before[i] elements before and after[i] elements after it, all of them `value`, along each dim.
 * `before` and `after` have equally many numbers, none negative: one for each of x's last dims. */
kernelgen_status kernelgen_pad(const kernelgen_tensor* x, size_t before_count, const int64_t* before,
                               size_t after_count, const int64_t* after, kernelgen_scalar value,
                               const kernelgen_tensor* out, const kernelgen_stream* stream,
                               kernelgen_tensor** result);
/* As pad, with x mirrored at its first and last elements, which are not repeated: 3 2 | 1 2 3 | 2 1. Each
 * number must be less than x's extent. */
kernelgen_status kernelgen_pad_reflect(const kernelgen_tensor* x, size_t before_count, const int64_t* before,
                                       size_t after_count, const int64_t* after, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result);
/* As pad, with the nearest element of x: 1 1 | 1 2 3 | 3 3. */
kernelgen_status kernelgen_pad_replicate(const kernelgen_tensor* x, size_t before_count,
                                         const int64_t* before, size_t after_count, const int64_t* after,
                                         const kernelgen_tensor* out, const kernelgen_stream* stream,
                                         kernelgen_tensor** result);
/* As pad, with the elements of the other end: 2 3 | 1 2 3 | 1 2. No number may exceed x's extent. */
kernelgen_status kernelgen_pad_circular(const kernelgen_tensor* x, size_t before_count, const int64_t* before,
                                        size_t after_count, const int64_t* after, const kernelgen_tensor* out,
                                        const kernelgen_stream* stream, kernelgen_tensor** result);
/* x with its elements moved along dims[k] by shifts[k], those past an end to the other end: element i goes
 * to (i + shift) mod extent. A shift may be negative; shifts of one dim add up. */
kernelgen_status kernelgen_roll(const kernelgen_tensor* x, size_t shift_count, const int64_t* shifts,
                                size_t dim_count, const int64_t* dims, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* x with `value` in place of the elements of each matrix (the last two dims) that are more than `diagonal`
 * columns right of the main diagonal, as in a causal mask. A negative `diagonal` counts to the left. `out`
 * may be x itself if it is contiguous. */
kernelgen_status kernelgen_tril(const kernelgen_tensor* x, int64_t diagonal, kernelgen_scalar value,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* As tril, for the elements that are fewer than `diagonal` columns right of the main diagonal. */
kernelgen_status kernelgen_triu(const kernelgen_tensor* x, int64_t diagonal, kernelgen_scalar value,
                                const kernelgen_tensor* out, const kernelgen_stream* stream,
                                kernelgen_tensor** result);
/* Matrices with the rows of x as their diagonals, zero elsewhere: [..., n] becomes [..., n, n]. */
kernelgen_status kernelgen_diag(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
