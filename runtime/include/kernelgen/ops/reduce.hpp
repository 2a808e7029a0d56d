#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "kernelgen/call.hpp"

/// Many elements into one, along any dims of any layout.
///
/// `dims` count from the end where negative; none may be given twice. The result's shape is the input's
/// without those dims, or with 1 in their place where `keep_dims` is set. Reducing no dims copies (any, all:
/// compares each element with 0).
///
/// The result is the same each time on one device; on another it may be rounded otherwise. The error of a sum
/// of n terms stays under (4 + 2·log2 n + n/512) · u · Σ|terms|, u being the accumulator's unit: f32 for
/// bf16, f16, f8e4m3 and f32, f64 for f64.
namespace kernelgen {

/// The dims that are reduced, counted from the end where negative, none twice.
using Axes = std::span<const std::int64_t>;

/// Integers are summed in 64 bits and wrap. Of no element: 0.
Tensor sum(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// Integers: the sum in 64 bits, divided toward zero. Of no element: NaN, for integers 0.
Tensor mean(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// Of no element: 1.
Tensor prod(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// NaN wins. Of no element: an error.
Tensor min(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
Tensor max(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
/// u8: 1 where any, or every, element is not zero (NaN is not). Of no element: 0, or 1.
Tensor any(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});
Tensor all(const Tensor& x, Axes dims, bool keep_dims = false, const CallOptions& options = {});

/// u32: the place of the least, or greatest, element along `dim`, or in row-major order of all elements. The
/// first of several; the first NaN if there is one. Errors: no element; more than 2^32 - 1 along what is
/// reduced.
Tensor argmin(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims = false,
              const CallOptions& options = {});
Tensor argmax(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims = false,
              const CallOptions& options = {});

/// The least, or greatest, element along `dim`, or of all, and its place as argmin, or argmax, gives it, in one pass.
/// Of what compares equal the first: a NaN is the first there is, as a quiet one, and a zero may have lost its sign.
/// Errors: as theirs.
Indexed min_with_index(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims = false,
                       const IndexedOptions& options = {});
Indexed max_with_index(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims = false,
                       const IndexedOptions& options = {});

}  // namespace kernelgen
