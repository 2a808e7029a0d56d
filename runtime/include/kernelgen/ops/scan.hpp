#pragma once
#include "kernelgen/call.hpp"

namespace kernelgen {

/// The sum of each element and all before it along `dim`, which counts from the end where negative. Every dtype; x
/// of any layout, of rank 1 or more; `options.out` may be x itself, contiguous. Integers wrap. The narrow floats and
/// f32 are summed in f32, f64 in f64, and each element is rounded once; what the sum of its n terms may be wrong by
/// is stated for sum (reduce.hpp). NaN and infinities stay in what follows them. The same bits each time on one
/// device. Errors: a dim that is not there.
Tensor cumsum(const Tensor& x, std::int64_t dim, const CallOptions& options = {});

}  // namespace kernelgen
