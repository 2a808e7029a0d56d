#pragma once
#include <string_view>

#include "kernelgen/tensor.hpp"
#include "library/matrix_product.hpp"
#include "plan/matmul_plan.hpp"

namespace kernelgen {

/// The shapes of a product of two batches of matrices.
struct ProductShapes {
  Shape batch;   ///< that the batch dims are broadcast to
  Shape result;  ///< batch, rows of a, columns of b

  /// Throws Error, naming the operation, the operands and their shapes, unless ranks are 2 or more, the terms are as many, and
  /// batch dims match.
  ProductShapes(std::string_view operation, std::string_view a_name, const Shape& a, std::string_view b_name,
                const Shape& b);
};

/// The layout of the slices' first elements.
Layout batch_layout(const Layout& layout, const Shape& batch);

MatrixProduct::Side side_of(const Tensor& x, std::size_t row_dim, std::size_t term_dim);

MatmulProblem problem_of(const MatrixProduct& product, std::int64_t slices);

}  // namespace kernelgen
