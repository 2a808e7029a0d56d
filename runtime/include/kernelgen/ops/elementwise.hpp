#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "kernelgen/call.hpp"
#include "kernelgen/ops/elementwise_functions.hpp"  // exp, add, eq, gelu, powf, affine, …

/// Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
/// common shape by NumPy's rule.
namespace kernelgen {

/// Calls an operation of the device's packages by name, including a user's own: an element-wise one ("expr"),
/// one on the rows along the last dim ("row"), a matrix product with an epilogue ("matmul"), one that is launched by its
/// own rule ("body"), or a reduction ("reduce") of all dims; reduce() takes the dims. Throws Error(not_found) with the
/// nearest name, and Error(invalid_argument) for an operation with several results.
Tensor call(std::string_view operation, std::span<const Tensor> inputs, std::span<const Scalar> scalars = {},
            const CallOptions& options = {});
/// As call(), for an operation with any number of results ("body").
Results call_all(std::string_view operation, std::span<const Tensor> inputs,
                 std::span<const Scalar> scalars = {}, const Stream& stream = {});

/// Converts to another dtype. To integers: truncated toward zero, saturating, NaN gives 0. Between integers:
/// the low bits. To floats: rounded once, to nearest even. To f8e4m3: saturating at ±448.
Tensor to_dtype(const Tensor& x, DType dtype, const CallOptions& options = {});
/// a where condition ≠ 0, else b. The condition is u8, u32, i16, i32 or i64; a and b have the same dtype.
Tensor where_cond(const Tensor& condition, const Tensor& a, const Tensor& b, const CallOptions& options = {});

/// A contiguous copy (candle's copy_strided_src and try_clone).
Tensor copy(const Tensor& x, const CallOptions& options = {});
/// Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype and
/// shape) and nothing else of its storage. The two must not overlap in memory.
void copy_into(const Tensor& destination, const Tensor& source, const Stream& stream = {});
/// Copies `rows` rows of `columns` contiguous elements between contiguous tensors; row r starts at offset + r
/// · stride. Offsets and strides are in elements; strides are not negative. Destination rows must not
/// overlap, and all rows must be inside the tensors.
void copy2d(const Tensor& destination, const Tensor& source, std::int64_t rows, std::int64_t columns,
            std::int64_t destination_stride, std::int64_t source_stride, std::int64_t destination_offset = 0,
            std::int64_t source_offset = 0, const Stream& stream = {});
/// Sets every element of the view (any layout) and nothing else of its storage.
void const_set(const Tensor& destination, const Scalar& value, const Stream& stream = {});

}  // namespace kernelgen
