#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "kernelgen/call.hpp"

/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without those
/// dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares each
/// element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator: f32
/// for bf16, f16, f8e4m3 and f32, f64 for f64.
namespace kernelgen {

/// Integers are summed in 64 bits and wrap. An empty reduction gives 0.
Tensor sum(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// Integers: the sum in 64 bits, divided toward zero. An empty reduction gives NaN, for integers 0.
Tensor mean(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// An empty reduction gives 1.
Tensor prod(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// If an element is NaN, the result is NaN. Throws Error(invalid_argument) for an empty reduction.
Tensor min(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
Tensor max(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for any,
/// 1 for all.
Tensor any(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
Tensor all(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});

/// u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the index
/// among all elements in row-major order. Of equal elements it is the first; of NaNs, which win over numbers,
/// the first NaN. Throws Error(invalid_argument) for an empty reduction, and for more than 2^32 - 1 elements
/// along the reduced extent.
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim = std::nullopt, bool keep_dims = false,
              const CallOptions& options = {});
Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim = std::nullopt, bool keep_dims = false,
              const CallOptions& options = {});

/// The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax gives it,
/// in one pass. Of equal elements it is the first; the first NaN wins over numbers and is returned quiet; a
/// zero may lose its sign. Errors as argmin and argmax.
Indexed min_with_index(const Tensor& x, std::optional<std::int64_t> dim = std::nullopt,
                       bool keep_dims = false, const IndexedOptions& options = {});
Indexed max_with_index(const Tensor& x, std::optional<std::int64_t> dim = std::nullopt,
                       bool keep_dims = false, const IndexedOptions& options = {});

/// A reduction of the device's packages by name, the library's or one that a manifest defines ("reduce").
/// Throws Error(not_found) with the nearest name; for an empty reduction by a functor with "state" extreme or
/// index Error(invalid_argument).
Tensor reduce(std::string_view operation, const Tensor& x, Axes dims, bool keep_dims = false,
              const CallOptions& options = {});
/// As reduce(), for a reduction of several inputs, which are broadcast to a common shape with these dims, or with scalars. Throws
/// Error(invalid_argument) if there are others than the manifest has.
Tensor reduce_inputs(std::string_view operation, std::span<const Tensor> inputs, Axes dims,
                     bool keep_dims = false, std::span<const Scalar> scalars = {},
                     const CallOptions& options = {});

}  // namespace kernelgen
