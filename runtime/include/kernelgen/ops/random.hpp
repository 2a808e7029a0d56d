#pragma once
#include "kernelgen/call.hpp"

/// Random numbers, the same on every device: element i depends only on the device's seed, on the number of
/// these calls since set_seed, and on i. Floating point.
namespace kernelgen {

/// Uniformly distributed in [low, high). Both bounds must be finite and differ in that dtype. Results are
/// rounded down, which keeps them in that range for every dtype.
Tensor rand_uniform(const Device& device, const Shape& shape, DType dtype = DType::f32, const Scalar& low = 0,
                    const Scalar& high = 1, const CallOptions& options = {});
/// Normally distributed. `deviation` must not be negative.
Tensor rand_normal(const Device& device, const Shape& shape, DType dtype = DType::f32, const Scalar& mean = 0,
                   const Scalar& deviation = 1, const CallOptions& options = {});

}  // namespace kernelgen
