#pragma once
#include <optional>
#include <span>

#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Runs an element-wise operation. `result` is required if the inputs do not determine the output's dtype
/// (cast).
Tensor map(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
           const CallOptions& options, std::optional<DType> result = std::nullopt);

}  // namespace kernelgen
