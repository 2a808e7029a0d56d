#pragma once
#include <optional>

#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Runs a reduction of the device's packages, along `dims` of the shape that its inputs are broadcast to, or along all of them.
Tensor run_reduction(const Operation& operation, Inputs inputs, std::optional<Axes> dims, bool keep_dims,
                     std::span<const Scalar> scalars, const CallOptions& options);

/// The same for one input and no scalars.
Tensor reduce_one(const Operation& operation, const Tensor& x, Axes dims, bool keep_dims,
                  const CallOptions& options);

}  // namespace kernelgen
