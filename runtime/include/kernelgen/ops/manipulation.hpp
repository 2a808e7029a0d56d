#pragma once
#include <cstdint>
#include <span>

#include "kernelgen/call.hpp"

/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A negative `dim`
/// counts from the end.
namespace kernelgen {

/// One number for each of some dims.
using Counts = std::span<const std::int64_t>;

/// The tensors one after the other along `dim`. They have one dtype, which may be quantized, and one shape,
/// except along `dim`, where any of them may be empty. Throws Error(invalid_argument) without tensors.
Tensor concat(std::span<const Tensor> tensors, std::int64_t dim = 0, const CallOptions& options = {});
/// As concat, along a new dim: result[…, i, …] is tensor i. The tensors have one shape. A negative `dim`
/// counts from the end of the result's shape.
Tensor stack(std::span<const Tensor> tensors, std::int64_t dim = 0, const CallOptions& options = {});

/// x with before[i] elements before and after[i] elements after it, all of them `value`, along each dim.
/// `before` and `after` have equally many numbers, none negative: one for each of x's last dims.
Tensor pad(const Tensor& x, Counts before, Counts after, const Scalar& value = 0,
           const CallOptions& options = {});
/// As pad, with x mirrored at its first and last elements, which are not repeated: 3 2 | 1 2 3 | 2 1. Each
/// number must be less than x's extent.
Tensor pad_reflect(const Tensor& x, Counts before, Counts after, const CallOptions& options = {});
/// As pad, with the nearest element of x: 1 1 | 1 2 3 | 3 3.
Tensor pad_replicate(const Tensor& x, Counts before, Counts after, const CallOptions& options = {});
/// As pad, with the elements of the other end: 2 3 | 1 2 3 | 1 2. No number may exceed x's extent.
Tensor pad_circular(const Tensor& x, Counts before, Counts after, const CallOptions& options = {});

/// x with its elements moved along dims[k] by shifts[k], those past an end to the other end: element i goes
/// to (i + shift) mod extent. A shift may be negative; shifts of one dim add up.
Tensor roll(const Tensor& x, Counts shifts, Axes dims, const CallOptions& options = {});

/// x with `value` in place of the elements of each matrix (the last two dims) that are more than `diagonal`
/// columns right of the main diagonal, as in a causal mask. A negative `diagonal` counts to the left.
/// `options.out` may be x itself if it is contiguous.
Tensor tril(const Tensor& x, std::int64_t diagonal = 0, const Scalar& value = 0,
            const CallOptions& options = {});
/// As tril, for the elements that are fewer than `diagonal` columns right of the main diagonal.
Tensor triu(const Tensor& x, std::int64_t diagonal = 0, const Scalar& value = 0,
            const CallOptions& options = {});
/// Matrices with the rows of x as their diagonals, zero elsewhere: [..., n] becomes [..., n, n].
Tensor diag(const Tensor& x, const CallOptions& options = {});

}  // namespace kernelgen
