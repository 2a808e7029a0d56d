#include "rope.hpp"

namespace kernelgen::reference {

Sums rope(const Elements& x, const Elements& cos, const Elements& sin, const Shape& shape,
          std::size_t positions, RopePairs pairs, std::int64_t batches, std::int64_t angles) {
  const std::int64_t half = shape[3] / 2;
  Sums result;
  for (std::int64_t a = 0; a < shape[0]; ++a)
    for (std::int64_t b = 0; b < shape[1]; ++b)
      for (std::int64_t c = 0; c < shape[2]; ++c)
        for (std::int64_t i = 0; i < shape[3]; ++i) {
          const bool halves = pairs == RopePairs::halves;
          const bool is_first = halves ? i < half : i % 2 == 0;
          const std::int64_t number = halves ? i % half : i / 2;  // of the pair
          const std::int64_t partner = halves ? (i + half) % shape[3] : (is_first ? i + 1 : i - 1);
          const std::int64_t row = ((a * shape[1] + b) * shape[2] + c) * shape[3];
          const std::int64_t angle =
              ((batches > 1 ? a : 0) * angles + (positions == 1 ? b : c)) * half + number;
          const Real own = real_at(x, row + i) * real_at(cos, angle);
          const Real other = real_at(x, row + partner) * real_at(sin, angle);
          result.value.push_back(is_first ? own - other : own + other);
          result.magnitude.push_back(std::abs(own) + std::abs(other));
        }
  return result;
}

}  // namespace kernelgen::reference
