#pragma once
#include "kernelgen/call.hpp"

namespace kernelgen {

/// The inclusive prefix sum along `dim`; a negative `dim` counts from the end. Every dtype; x of any layout,
/// of rank 1 or more. `options.out` may be x itself if it is contiguous. Integers wrap. Floats narrower than
/// f64 are summed in f32, f64 in f64, and each element is rounded once; an element that sums n terms has the
/// error bound of sum. NaN and infinities propagate to all later elements. Results are
/// deterministic on one device. Throws Error(invalid_argument) for a dim out of range.
Tensor cumsum(const Tensor& x, std::int64_t dim = -1, const CallOptions& options = {});

}  // namespace kernelgen
