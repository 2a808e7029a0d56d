#pragma once
#include <span>
#include <vector>

#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Runs an operation that a manifest's "body" describes; gives its outputs in their order. `options.out` is the only
/// output.
std::vector<Tensor> run_body(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                             const CallOptions& options);

}  // namespace kernelgen
