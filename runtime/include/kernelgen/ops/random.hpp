#pragma once
#include "kernelgen/call.hpp"

/// Random numbers, the same on every device: element i depends on the device's seed, on how many of these
/// calls came after set_seed, and on i alone. Floating point.
namespace kernelgen {

/// In [low, high), which both must be finite and differ in that dtype; rounded down where it is coarser.
Tensor rand_uniform(const Device& device, const Shape& shape, DType dtype, const Scalar& low,
                    const Scalar& high, const CallOptions& options = {});
/// Normally distributed. `deviation` is not negative.
Tensor rand_normal(const Device& device, const Shape& shape, DType dtype, const Scalar& mean,
                   const Scalar& deviation, const CallOptions& options = {});

}  // namespace kernelgen
