#ifndef KERNELGEN_C_QUANTIZED_H
#define KERNELGEN_C_QUANTIZED_H
/* Quantization, dequantization and matrix multiplication of quantized tensors. Included by operations.h.
 *
 * The quantized dtypes are those from KERNELGEN_Q4_0 on, in ggml's formats: a few bits per element and scales
 * per block of 32 or 256 elements along the last dim. The last dim's length is a multiple of the block size
 * (kernelgen_dtype_block). Host copies transfer the raw blocks; views do not split blocks. Only these
 * operations and copy accept quantized tensors. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Quantizes x, of f32, f16 or bf16, to `format`. The blocks equal those of ggml's reference
 * (quantize_row_*_ref) on x86 without FMA contraction, byte for byte, including blocks with infinities. Every
 * NaN is treated as the NaN with zero payload (ggml's K formats derive codes from the payload bits); the NaN
 * stored as a scale may differ from ggml's. */
kernelgen_status kernelgen_quantize(const kernelgen_tensor* x, kernelgen_dtype format,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* Dequantizes x to f32, f16 or bf16: bit for bit the values of ggml's dequantize_row_*, rounded once. */
kernelgen_status kernelgen_dequantize(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);
/* Embedding lookup: the rows of table [rows, n], quantized or f32, f16 or bf16, selected by ids, as f32, f16 or
 * bf16. The result's shape is that of ids, then n. ids are u8, u32, i16, i32 or i64. An id equal to the largest value of its type gives
 * zeros. So does any other id outside 0 … rows - 1, and the next wait for the stream, or copy to the host
 * through it, returns KERNELGEN_INDEX_OUT_OF_RANGE: see kernelgen_stream_synchronize. */
kernelgen_status kernelgen_get_rows(const kernelgen_tensor* table, const kernelgen_tensor* ids,
                                    kernelgen_dtype dtype, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* destination[..., ids[..., i], :] = source[..., i, :], in place, converted to destination's dtype: f32, f16, bf16
 * or quantized as by kernelgen_quantize. `source` [..., m, n] is f32, f16 or bf16; destination is [..., rows, n],
 * with the same dims before those; ids, of u8, u32, i16, i32 or i64, are broadcast to [..., m] by NumPy's rule. All
 * have any layout; rows of destination must not share memory. An id equal to the largest value of its type is
 * skipped; so is any other id outside 0 … rows - 1, which is reported as by kernelgen_get_rows. If ids are equal,
 * any of their rows may win. */
kernelgen_status kernelgen_set_rows(const kernelgen_tensor* destination, const kernelgen_tensor* ids,
                                    const kernelgen_tensor* source, const kernelgen_stream* stream);
/* x Wᵀ: x [..., n] is f32, f16 or bf16, weights W [rows, n] are quantized; the result [..., rows] has x's
 * dtype. The error before the final rounding is at most half a quantization step of x at 8 bits times Σ|w|
 * for each 32 elements, plus the error of f32 summation. A row of x with a NaN gives NaN; a row with an
 * infinity gives no finite values. */
kernelgen_status kernelgen_quantized_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                            const kernelgen_tensor* out, const kernelgen_stream* stream,
                                            kernelgen_tensor** result);
/* y[t, j] = x[t, j] W[ids[t, j]]ᵀ (mixture of experts). x is [tokens, k, n], or [tokens, 1, n] if all results
 * of a token use the same row; weights are [experts, rows, n], ids [tokens, k], y [tokens, k, rows].
 * Out-of-range ids as in kernelgen_get_rows. */
kernelgen_status kernelgen_indexed_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                          const kernelgen_tensor* ids, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
