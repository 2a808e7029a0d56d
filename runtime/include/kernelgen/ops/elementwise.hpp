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

// clang-format off
#define KERNELGEN_UNARY_OPERATIONS(X)                                                               \
  X(exp) X(log) X(sin) X(cos) X(tanh) X(erf) X(ceil) X(floor) X(round) X(sqrt) X(sqr) X(abs) X(neg) \
  X(recip) X(sign) X(gelu) X(gelu_erf) X(silu) X(relu) X(sigmoid) X(normcdf)
// clang-format on
#define KERNELGEN_BINARY_OPERATIONS(X) X(add) X(sub) X(mul) X(div) X(maximum) X(minimum)
/// Result u8, 0 or 1.
#define KERNELGEN_COMPARE_OPERATIONS(X) X(eq) X(ne) X(lt) X(le) X(gt) X(ge)

#define KERNELGEN_DECLARE(op) Tensor op(const Tensor& x, const CallOptions& options = {});
KERNELGEN_UNARY_OPERATIONS(KERNELGEN_DECLARE)
#undef KERNELGEN_DECLARE
#define KERNELGEN_DECLARE(op) Tensor op(const Tensor& a, const Tensor& b, const CallOptions& options = {});
KERNELGEN_BINARY_OPERATIONS(KERNELGEN_DECLARE)
KERNELGEN_COMPARE_OPERATIONS(KERNELGEN_DECLARE)
#undef KERNELGEN_DECLARE

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
