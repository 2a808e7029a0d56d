#pragma once
#include "kernelgen/call.hpp"

/// sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or more.
/// Equal elements keep their order, whichever way is sorted; -0 equals +0, and NaN comes after every number both
/// ways. Errors: rank 0; a last dim of more than 2^32 - 1.
namespace kernelgen {

/// u32, of x's shape: the i-th along the last dim is the place there of the element that comes i-th.
Tensor arg_sort(const Tensor& x, bool ascending = true, const CallOptions& options = {});

using Sorted = Indexed;  ///< the elements themselves: a NaN keeps its bits, a zero its sign
/// Where sort works, and what it writes to.
using SortOptions = IndexedOptions;

/// The elements in order, and their places as arg_sort gives them.
Sorted sort(const Tensor& x, bool ascending = true, const SortOptions& options = {});

/// The k greatest elements along `dim`, in descending order, and their places along it, of x's shape with k in
/// that dim's place; every dtype, x of any layout. Equal elements come by the lower place, -0 equals +0, and NaN
/// comes before every number, as it does in max, unlike in sort: without NaN these are the first k of
/// sort(x, false). Values keep their bits. Long rows are not sorted: their k-th element is found digit by digit.
/// Errors: a dim that is not there, or of more than 2^32 - 1; a k below 0 or above the dim's extent.
Indexed top_k(const Tensor& x, std::int64_t k, std::int64_t dim = -1, const IndexedOptions& options = {});

}  // namespace kernelgen
