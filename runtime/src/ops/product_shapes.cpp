#include "ops/product_shapes.hpp"

#include <algorithm>

#include "common/format.hpp"
#include "ops/output.hpp"

namespace kernelgen {
namespace {

Shape batch_of(const Shape& shape) { return Shape(std::span(shape.data(), shape.size() - 2)); }

}  // namespace

ProductShapes::ProductShapes(std::string_view operation, std::string_view a_name, const Shape& a,
                             std::string_view b_name, const Shape& b) {
  const auto refuse = [&](const std::string& why) {
    invalid(formatted("{}: {} is {}, {} is {}; {}", operation, a_name, a.to_string(), b_name, b.to_string(),
                      why));
  };
  if (a.size() < 2 || b.size() < 2) refuse("both need a rank of 2 or more");
  if (a.back() != b[b.size() - 2])
    refuse(formatted("{}'s last dim and {}'s last but one must match", a_name, b_name));
  const std::size_t rank = std::max(a.size(), b.size()) - 2;
  for (std::size_t d = 0; d < rank; ++d) {
    const auto extent = [&](const Shape& shape) {
      const std::size_t missing = rank - (shape.size() - 2);
      return d < missing ? 1 : shape[d - missing];
    };
    const std::int64_t p = extent(a), q = extent(b);
    if (p != q && p != 1 && q != 1) refuse("batch dims must match, or one of them be 1");
    batch.push_back(p == 1 ? q : p);
  }
  result = batch;
  result.push_back(a[a.size() - 2]);
  result.push_back(b.back());
}

Layout batch_layout(const Layout& layout, const Shape& batch) {
  const Layout own{batch_of(layout.shape), batch_of(layout.strides), 0};
  return own.broadcast_to(batch);
}

MatrixProduct::Side side_of(const Tensor& x, std::size_t row_dim, std::size_t term_dim) {
  return {static_cast<const std::byte*>(x.data()), x.shape()[row_dim], x.layout().strides[row_dim],
          x.layout().strides[term_dim]};
}

MatmulProblem problem_of(const MatrixProduct& product, std::int64_t slices) {
  return {product.a.rows,
          product.b.rows,
          product.terms,
          slices,
          product.a.row_stride,
          product.a.term_stride,
          static_cast<unsigned>(size_of(product.dtype))};
}

}  // namespace kernelgen
