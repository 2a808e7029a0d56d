#pragma once
#include "ops/operation.hpp"

namespace kernelgen {

/// Runs a reduction of the device's packages.
Tensor run_reduction(const Operation& operation, const Tensor& x, Axes dims, bool keep_dims,
                     const CallOptions& options);

}  // namespace kernelgen
