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

inline bool is_16bit(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

/// Into how many ranges the terms are best split, for results of `rank` dims. More than 1 if the product would leave most of the device
/// idle by the library, as far as it says, or without one (null) by our kernels.
std::int64_t parts_of(const Device& device, const MatrixProduct& product, std::int64_t slices,
                      std::size_t rank, const MatrixLibrary* library);

/// Whether the product is faster multiplied by matmul() and mapped from memory than mapped by the kernel that multiplies.
bool is_worth_mapping_apart(const Device& device, const MatrixProduct& product, const Iteration<2>& batch,
                            std::size_t rank);

}  // namespace kernelgen
