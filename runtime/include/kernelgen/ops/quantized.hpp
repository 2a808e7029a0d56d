#pragma once
#include "kernelgen/call.hpp"

/// Quantized tensors: made, read and multiplied with. Their dtypes are those from q4_0 on, ggml's formats: a few bits an
/// element and scales for each block of 32 or 256 elements along the last dim, whose length is a multiple of that. They
/// are tensors like others (host copies give and take the blocks' bytes, views keep blocks whole), but for operations
/// other than these and copy.
namespace kernelgen {

/// x in blocks of `format`, byte for byte as ggml's reference (quantize_row_*_ref) makes them on x86 without contraction,
/// blocks with infinities and NaN too, but for which NaN a scale is: x of f32, f16 or bf16, any layout, rank 1 or more.
Tensor quantize(const Tensor& x, DType format, const CallOptions& options = {});

/// The elements of x, any view, as f32, f16 or bf16: bit for bit what ggml's dequantize_row_* give, rounded once.
Tensor dequantize(const Tensor& x, DType dtype, const CallOptions& options = {});

/// The rows of table [rows, n] that ids choose, as f32, f16 or bf16: ids.shape + [n]. ids are u8, u32, i16, i32 or i64,
/// of any shape and layout. One that is its type's largest value gives zeros. So does any other outside 0 … rows - 1,
/// and the next wait for the stream, or copy to the host by it, throws Error(index_out_of_range): see Stream.
Tensor get_rows(const Tensor& table, const Tensor& ids, DType dtype, const CallOptions& options = {});

/// x Wᵀ: x [..., n] of f32, f16 or bf16 and any layout, weights W [rows, n] quantized; the result [..., rows] is of x's
/// dtype. Few rows of x are quantized for it, to 8 bits and a scale for each 32 elements, and multiplied in integers;
/// many are multiplied in bf16 where the device has matrix instructions for that. Either way the error is at most half a
/// step of those 8 bits times Σ|w| for each 32 elements, and that of sums in f32, before the result is rounded. A row
/// of x with a NaN gives NaN, one with an infinity no finite numbers.
Tensor quantized_matmul(const Tensor& x, const Tensor& weights, const CallOptions& options = {});

/// The same with a matrix for each result, as mixtures of experts have: y[t, j] = x[t, j] W[ids[t, j]]ᵀ for x [tokens, k,
/// n], or [tokens, 1, n] where a token's k results share one row, weights [experts, rows, n] and ids [tokens, k] of u8,
/// u32, i16, i32 or i64; y is [tokens, k, rows]. Bad ids give zeros and are reported as get_rows reports them.
Tensor indexed_matmul(const Tensor& x, const Tensor& weights, const Tensor& ids,
                      const CallOptions& options = {});

}  // namespace kernelgen
