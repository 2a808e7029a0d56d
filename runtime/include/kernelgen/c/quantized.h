#ifndef KERNELGEN_C_QUANTIZED_H
#define KERNELGEN_C_QUANTIZED_H
/* Quantized tensors: made, read and multiplied with. Included by operations.h.
 *
 * Their dtypes are those from KERNELGEN_Q4_0 on, ggml's formats: a few bits an element and scales for each block of 32 or
 * 256 elements along the last dim, whose length is a multiple of that (kernelgen_dtype_block). Host copies give and take
 * the blocks' bytes, views keep blocks whole; operations other than these and copy refuse them. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x in blocks of `format`, byte for byte as ggml's reference (quantize_row_*_ref) makes them on x86 without contraction,
 * blocks with infinities and NaN too, but for which NaN a scale is: x of f32, f16 or bf16. */
kernelgen_status kernelgen_quantize(const kernelgen_tensor* x, kernelgen_dtype format,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* The elements of x as f32, f16 or bf16: bit for bit what ggml's dequantize_row_* give, rounded once. */
kernelgen_status kernelgen_dequantize(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);
/* The rows of table [rows, n] that ids choose, as f32, f16 or bf16: ids' shape and n. ids are u8, u32, i16, i32 or i64.
 * One that is its type's largest value gives zeros. So does any other outside 0 … rows - 1, and the next wait for the
 * stream, or copy to the host by it, gives KERNELGEN_INDEX_OUT_OF_RANGE: see kernelgen_stream_synchronize. */
kernelgen_status kernelgen_get_rows(const kernelgen_tensor* table, const kernelgen_tensor* ids,
                                    kernelgen_dtype dtype, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* x Wᵀ: x [..., n] of f32, f16 or bf16, weights W [rows, n] quantized; the result [..., rows] is of x's dtype. The error
 * is at most half a step of x quantized to 8 bits times Σ|w| for each 32 elements, and that of sums in f32, before the
 * result is rounded. A row of x with a NaN gives NaN, one with an infinity no finite numbers. */
kernelgen_status kernelgen_quantized_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                            const kernelgen_tensor* out, const kernelgen_stream* stream,
                                            kernelgen_tensor** result);
/* y[t, j] = x[t, j] W[ids[t, j]]ᵀ for x [tokens, k, n], or [tokens, 1, n] where a token's results share one row, weights
 * [experts, rows, n] and ids [tokens, k]; y is [tokens, k, rows]. Bad ids as in kernelgen_get_rows. */
kernelgen_status kernelgen_indexed_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                          const kernelgen_tensor* ids, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
