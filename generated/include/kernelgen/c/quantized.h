/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_QUANTIZED_H
#define KERNELGEN_C_QUANTIZED_H
/* Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
 * few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
 * is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
 * blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
 * Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Quantizes x of f32, f16 or bf16, any layout, rank 1 or more, to `format`, any quantized dtype but the
 * iq1, iq2 and iq3 formats. The result is identical, byte for byte, to that of ggml's reference
 * (quantize_row_*_ref) on x86 without contraction, also for blocks with infinities. A NaN's payload is
 * ignored (ggml's K formats derive codes from it); if a scale is NaN, its bits may differ from ggml's. */
kernelgen_status kernelgen_quantize(const kernelgen_tensor* x, kernelgen_dtype format,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* The elements of x, any view, as f32, f16 or bf16: bit for bit those of ggml's dequantize_row_*, rounded
 * once. */
kernelgen_status kernelgen_dequantize(const kernelgen_tensor* x, kernelgen_dtype dtype,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);
/* The rows of table [rows, n], quantized or f32, f16 or bf16, selected by ids, as f32, f16 or bf16:
 * ids.shape + [n]. ids are u8, u32, i16, i32 or i64, of any shape and layout. An id equal to the largest
 * value of its type gives zeros. So does any other id outside 0 … rows - 1, and the next wait for the
 * stream, or copy to the host in it, reports KERNELGEN_INDEX_OUT_OF_RANGE. */
kernelgen_status kernelgen_get_rows(const kernelgen_tensor* table, const kernelgen_tensor* ids,
                                    kernelgen_dtype dtype, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* destination[..., ids[..., i], :] = source[..., i, :], in place, converted to destination's dtype: f32,
 * f16, bf16 or quantized as by quantize. `source` [..., m, n] is f32, f16 or bf16; destination is [...,
 * rows, n], with the same dims before those; ids, of u8, u32, i16, i32 or i64, are broadcast to [..., m]
 * by NumPy's rule. All have any layout; rows of destination must not share memory. An id equal to the
 * largest value of its type is skipped; so is any other id outside 0 … rows - 1, which is reported as by
 * get_rows. If ids are equal, any of their rows may win. */
kernelgen_status kernelgen_set_rows(const kernelgen_tensor* destination, const kernelgen_tensor* ids,
                                    const kernelgen_tensor* source, const kernelgen_stream* stream);
/* x Wᵀ for x [..., n] of f32, f16 or bf16 and any layout, and quantized weights W [rows, n]. The result is
 * [..., rows], of x's dtype. If x has few rows, they are quantized to 8 bits with a scale for each 32
 * elements and multiplied in integers. If it has many, the product is computed in bf16 on devices with
 * bf16 matrix instructions. The error before the result is rounded is, in both cases, at most half a step
 * of those 8 bits times Σ|w| for each 32 elements, plus that of sums in f32. A row of x with a NaN gives
 * NaN; one with an infinity gives no finite numbers. */
kernelgen_status kernelgen_quantized_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                            const kernelgen_tensor* out, const kernelgen_stream* stream,
                                            kernelgen_tensor** result);
/* The same with a matrix per result, as in mixtures of experts: y[t, j] = x[t, j] W[ids[t, j]]ᵀ. x is
 * [tokens, k, n], or [tokens, 1, n] if the k results of a token share a row; W is [experts, rows, n],
 * quantized or f32, f16 or bf16, to which x is rounded; ids are [tokens, k] of u8, u32, i16, i32 or i64. y
 * is [tokens, k, rows]. Out of range, they give zeros and are reported as by get_rows. */
kernelgen_status kernelgen_indexed_matmul(const kernelgen_tensor* x, const kernelgen_tensor* weights,
                                          const kernelgen_tensor* ids, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
