#include "library/matrix_product.hpp"

#include <limits>

namespace kernelgen {

MatrixProduct MatrixProduct::at(std::int64_t a_offset, std::int64_t b_offset, std::int64_t y_offset) const {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  MatrixProduct moved = *this;
  moved.a.data += a_offset * size;
  moved.b.data += b_offset * (is_mixed ? std::int64_t{sizeof(float)} : size);
  moved.y += y_offset * static_cast<std::int64_t>(size_of(result));
  return moved;
}

std::optional<BlasOperand> BlasOperand::of(const MatrixProduct::Side& side, std::int64_t terms) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (side.rows > most || terms > most) return std::nullopt;
  // The stride of a dim with extent 1 is arbitrary; it is set as in a contiguous matrix.
  const std::int64_t row_stride = side.rows == 1 ? terms : side.row_stride;
  const std::int64_t term_stride = terms == 1 ? side.rows : side.term_stride;
  if ((term_stride == 1 || terms == 1) && row_stride >= terms && row_stride <= most)
    return BlasOperand{true, row_stride};
  if ((row_stride == 1 || side.rows == 1) && term_stride >= side.rows && term_stride <= most)
    return BlasOperand{false, term_stride};
  return std::nullopt;
}

std::optional<BlasProblem> BlasProblem::of(const MatrixProduct& product) {
  const std::optional<BlasOperand> a = BlasOperand::of(product.a, product.terms),
                                   b = BlasOperand::of(product.b, product.terms);
  if (!a || !b || product.slices > std::numeric_limits<int>::max() || product.a.slice_stride < 0 ||
      product.b.slice_stride < 0)
    return std::nullopt;
  return BlasProblem{product, *a, *b};
}

}  // namespace kernelgen
