#pragma once
#include "kernelgen/tensor.hpp"
#include "library/matrix_product.hpp"
#include "ops/iteration.hpp"

namespace kernelgen {

/// The library that multiplies the batch on the device, a run along its innermost dim at a call; null where there is
/// none, or our own kernels do better.
const MatrixLibrary* library_for(const Device& device, const MatrixProduct& product,
                                 const Iteration<2>& batch);

/// Whether the product, which no library takes for how `side` lies, is worth a copy of that operand.
bool is_worth_a_copy(const Device& device, const MatrixProduct& product, const MatrixProduct::Side& side);

}  // namespace kernelgen
