#pragma once
#include "kernelgen/call.hpp"

/// Along the last dim, of any length; every dtype; x of any layout and rank 1 or more.
/// Equal elements keep their order, whichever way is sorted; -0 equals +0, and NaN comes after every number both
/// ways. Errors: rank 0; a last dim of more than 2^32 - 1.
namespace kernelgen {

/// u32, of x's shape: the i-th along the last dim is the place there of the element that comes i-th.
Tensor arg_sort(const Tensor& x, bool ascending = true, const CallOptions& options = {});

using Sorted = Indexed;  ///< the elements themselves: a NaN keeps its bits, a zero its sign
using SortOptions = IndexedOptions;

/// The elements in order, and their places as arg_sort gives them.
Sorted sort(const Tensor& x, bool ascending = true, const SortOptions& options = {});

}  // namespace kernelgen
