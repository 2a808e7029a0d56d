#pragma once
#include <array>
#include <string_view>
#include <utility>

#include "kernelgen/tensor.hpp"
#include "library/matrix_product.hpp"
#include "ops/iteration.hpp"
#include "plan/matmul_plan.hpp"
#include "tensor/checked.hpp"

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

/// Makes consecutive slices of a by the same b one taller matrix, if the rows of a and of the other operands go on from slice
/// to slice. The batch has the strides of a, of b and of the others, whose row strides are given.
template <int N>
void merge_slices(MatrixProduct& product, Iteration<N>& batch,
                  const std::array<std::int64_t*, N - 2>& row_strides) {
  const auto goes_on = [&](std::int64_t row_stride, int k) {
    return product.a.rows == 1 || Checked(product.a.rows) * row_stride == batch.stride[k][0];
  };
  bool merges = batch.rank == 1 && batch.stride[1][0] == 0 && goes_on(product.a.row_stride, 0);
  for (int k = 2; k < N; ++k) merges = merges && goes_on(*row_strides[static_cast<std::size_t>(k - 2)], k);
  if (!merges) return;
  if (product.a.rows == 1) {
    product.a.row_stride = batch.stride[0][0];
    for (int k = 2; k < N; ++k) *row_strides[static_cast<std::size_t>(k - 2)] = batch.stride[k][0];
  }
  product.a.rows *= batch.extent[0];
  batch.extent[0] = 1;
}

/// Whether a product is one of a matrix and a vector; then makes b the vector: with a single row, b's columns are the matrix's
/// rows.
template <int N>
bool put_vector_last(MatrixProduct& product, Iteration<N>& batch) {
  if (product.b.rows == 1) return true;
  if (product.a.rows != 1) return false;
  std::swap(product.a, product.b);
  std::swap(batch.stride[0], batch.stride[1]);
  return true;
}

}  // namespace kernelgen
