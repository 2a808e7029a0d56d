#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "kernelgen/call.hpp"

/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule.
namespace kernelgen {

/// Any element-wise operation of the device's package by name, a user's own "expr" operations too.
/// Throws Error(not_found) with the nearest name.
Tensor call(std::string_view operation, std::span<const Tensor> inputs, std::span<const Scalar> scalars = {},
            const CallOptions& options = {});

Tensor to_dtype(const Tensor& x, DType dtype, const CallOptions& options = {});

// One input, floating point.

/// e^x.
Tensor exp(const Tensor& x, const CallOptions& options = {});
/// The natural logarithm.
Tensor log(const Tensor& x, const CallOptions& options = {});
Tensor sin(const Tensor& x, const CallOptions& options = {});
Tensor cos(const Tensor& x, const CallOptions& options = {});
Tensor tanh(const Tensor& x, const CallOptions& options = {});
Tensor erf(const Tensor& x, const CallOptions& options = {});
Tensor sqrt(const Tensor& x, const CallOptions& options = {});
/// 1 / x.
Tensor recip(const Tensor& x, const CallOptions& options = {});
/// By tanh: x / 2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))).
Tensor gelu(const Tensor& x, const CallOptions& options = {});
/// x · normcdf(x).
Tensor gelu_erf(const Tensor& x, const CallOptions& options = {});
/// x · sigmoid(x).
Tensor silu(const Tensor& x, const CallOptions& options = {});
/// 1 / (1 + e^-x).
Tensor sigmoid(const Tensor& x, const CallOptions& options = {});
/// The normal distribution function.
Tensor normcdf(const Tensor& x, const CallOptions& options = {});

// One input, integers too.

Tensor ceil(const Tensor& x, const CallOptions& options = {});
Tensor floor(const Tensor& x, const CallOptions& options = {});
/// Half away from zero.
Tensor round(const Tensor& x, const CallOptions& options = {});
/// x · x.
Tensor sqr(const Tensor& x, const CallOptions& options = {});
Tensor abs(const Tensor& x, const CallOptions& options = {});
Tensor neg(const Tensor& x, const CallOptions& options = {});
/// sign(NaN) is NaN, sign(-0) is 0.
Tensor sign(const Tensor& x, const CallOptions& options = {});
/// max(x, 0); NaN stays.
Tensor relu(const Tensor& x, const CallOptions& options = {});

// Two inputs of one dtype, any. Integers wrap and x / 0 is 0 of them; NaN passes through maximum and minimum.

Tensor add(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor sub(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor mul(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor div(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor maximum(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor minimum(const Tensor& a, const Tensor& b, const CallOptions& options = {});

// Comparisons of two inputs of one dtype, any. The result is u8, 0 or 1.

Tensor eq(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor ne(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor lt(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor le(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor gt(const Tensor& a, const Tensor& b, const CallOptions& options = {});
Tensor ge(const Tensor& a, const Tensor& b, const CallOptions& options = {});

/// x^e; pow(x, 0) is 1 for every x, NaN too.
Tensor powf(const Tensor& x, const Scalar& e, const CallOptions& options = {});
/// x where x > 0, else alpha · expm1(x).
Tensor elu(const Tensor& x, const Scalar& alpha, const CallOptions& options = {});
/// x · mul + add.
Tensor affine(const Tensor& x, const Scalar& mul, const Scalar& add, const CallOptions& options = {});
/// a where condition ≠ 0, else b. The condition is u8, u32, i16, i32 or i64; a and b share a dtype.
Tensor where_cond(const Tensor& condition, const Tensor& a, const Tensor& b, const CallOptions& options = {});

/// A contiguous copy (candle's copy_strided_src and try_clone).
Tensor copy(const Tensor& x, const CallOptions& options = {});
/// Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype and
/// shape) and nothing else of its storage. The two must not overlap in memory.
void copy_into(const Tensor& destination, const Tensor& source, const Stream& stream = {});
/// Copies `rows` runs of `columns` elements between contiguous tensors; row r starts at offset + r · stride.
/// Offsets and strides in elements, strides not negative; destination rows must not overlap, and all must lie
/// inside the tensors.
void copy2d(const Tensor& destination, const Tensor& source, std::int64_t rows, std::int64_t columns,
            std::int64_t destination_stride, std::int64_t source_stride, std::int64_t destination_offset = 0,
            std::int64_t source_offset = 0, const Stream& stream = {});
/// Sets every element of the view (any layout) and nothing else of its storage.
void const_set(const Tensor& destination, const Scalar& value, const Stream& stream = {});

}  // namespace kernelgen
