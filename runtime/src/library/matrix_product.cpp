#include "library/matrix_product.hpp"

#include <limits>

namespace kernelgen {

MatrixProduct MatrixProduct::at(std::int64_t a_offset, std::int64_t b_offset, std::int64_t y_offset) const {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  MatrixProduct moved = *this;
  moved.a.data += a_offset * size;
  moved.b.data += b_offset * size;
  moved.y += y_offset * static_cast<std::int64_t>(size_of(result));
  return moved;
}

std::optional<BlasOperand> BlasOperand::of(const MatrixProduct::Side& side, std::int64_t terms) {
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (side.rows > most || terms > most) return std::nullopt;
  if (side.term_stride == 1 && side.row_stride >= terms && side.row_stride <= most)
    return BlasOperand{true, side.row_stride};
  if (side.row_stride == 1 && side.term_stride >= side.rows && side.term_stride <= most)
    return BlasOperand{false, side.term_stride};
  return std::nullopt;
}

}  // namespace kernelgen
