#pragma once
#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Calls an operation with a matmul: the product of the first two inputs, whose elements its epilogue maps.
Tensor map_product(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                   const CallOptions& options);

}  // namespace kernelgen
