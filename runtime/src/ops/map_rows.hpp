#pragma once
#include <span>

#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Runs an operation that a manifest defines by "row", on the rows along the last dim of the first input. Each other input is one
/// row for all, or is broadcast to the shape of the first. Throws Error.
Tensor map_rows(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                const CallOptions& options);

}  // namespace kernelgen
