#pragma once
#include "kernelgen/tensor.hpp"
#include "library/matrix_product.hpp"
#include "ops/iteration.hpp"

namespace kernelgen {

/// The library that multiplies the batch on the device, one call per contiguous group along the batch's
/// innermost dim; null if there is no library or our kernels are faster.
const MatrixLibrary* library_for(const Device& device, const MatrixProduct& product,
                                 const Iteration<2>& batch);

/// Whether copying the operand `side` pays off for a product whose layout no library takes.
bool is_worth_a_copy(const Device& device, const MatrixProduct& product, const MatrixProduct::Side& side);

}  // namespace kernelgen
