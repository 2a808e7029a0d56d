#pragma once
#include "kernelgen/call.hpp"

/// sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or more.
/// The order is stable in both directions; -0 equals +0, and NaN comes after every number in both directions.
/// Throw Error(invalid_argument) for rank 0 and for a last dim over 2^32 - 1.
namespace kernelgen {

/// u32, of x's shape: result[…, i] is the index, along the last dim, of the element at sorted position i.
Tensor arg_sort(const Tensor& x, bool ascending = true, const CallOptions& options = {});

/// The sorted elements, and their indices as arg_sort gives them. A NaN keeps its bits, a zero its sign.
Indexed sort(const Tensor& x, bool ascending = true, const IndexedOptions& options = {});

/// The k greatest elements along `dim`, in descending order, and their indices along it: x's shape with
/// extent k in that dim. Every dtype; x of any layout. Equal elements are ordered by index, -0 equals +0, and
/// NaN comes before every number, as in max but unlike in sort. Without NaN the values are the first k of
/// sort(x, false). Values keep their bits. Long rows are not sorted; a radix select finds their k-th element.
/// Throws Error(invalid_argument) for a dim out of range or over 2^32 - 1, and for a k below 0 or above the
/// dim's extent.
Indexed top_k(const Tensor& x, std::int64_t k, std::int64_t dim = -1, const IndexedOptions& options = {});

}  // namespace kernelgen
