#pragma once
#include <span>

#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Runs an operation on the rows along the last dim of the first input, which a manifest describes by steps. Other inputs
/// are one row for all or are broadcast to the first's shape.
Tensor map_rows(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                const CallOptions& options);

}  // namespace kernelgen
