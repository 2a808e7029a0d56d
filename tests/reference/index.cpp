#include "index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace kernelgen::reference {
namespace {

/// The sentinel has all bits set but, where the type has one, the sign.
bool points_nowhere(const Elements& ids, std::int64_t i) {
  const bool has_sign = ids.dtype() != DType::u8 && ids.dtype() != DType::u32;
  const std::size_t bits = 8 * size_of(ids.dtype()) - (has_sign ? 1 : 0);
  return bits_at(ids, i) == (~std::uint64_t{0} >> (64 - bits));
}

}  // namespace

std::vector<Move> moves(const Shape& shape, std::size_t dim, const Shape& indexed, const Elements& ids,
                        bool by_slice) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<Move> result;
  for (std::int64_t element = 0; element < count; ++element) {
    std::int64_t rest = element;
    Dims at = shape;
    for (std::size_t d = shape.size(); d-- > 0;) {
      at[d] = rest % shape[d];
      rest /= shape[d];
    }
    const std::int64_t number = by_slice ? at[dim] : element;
    if (points_nowhere(ids, number)) {
      result.push_back({element, -1});
      continue;
    }
    at[dim] = static_cast<std::int64_t>(real_at(ids, number));
    if (at[dim] < 0 || at[dim] >= indexed[dim]) throw std::out_of_range("index");
    std::int64_t place = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) place = place * indexed[d] + at[d];
    result.push_back({element, place});
  }
  return result;
}

Elements gather(const Elements& x, const std::vector<Move>& moves) {
  Elements y(x.dtype(), static_cast<std::int64_t>(moves.size()));
  for (const Move& move : moves)
    if (move.place >= 0) std::memcpy(y.at(move.element), x.at(move.place), size_of(x.dtype()));
  return y;
}

Elements scatter_set(Elements y, const Elements& source, const std::vector<Move>& moves) {
  for (const Move& move : moves)
    if (move.place >= 0) std::memcpy(y.at(move.place), source.at(move.element), size_of(y.dtype()));
  return y;
}

Sums scatter_add(const Elements& y, const Elements& source, const std::vector<Move>& moves) {
  Sums sums;
  for (std::int64_t i = 0; i < y.count(); ++i) {
    sums.values.push_back(real_at(y, i));
    sums.magnitudes.push_back(std::fabs(real_at(y, i)));
    sums.terms.push_back(1);
  }
  for (const Move& move : moves) {
    if (move.place < 0) continue;
    const auto place = static_cast<std::size_t>(move.place);
    sums.values[place] += real_at(source, move.element);
    sums.magnitudes[place] += std::fabs(real_at(source, move.element));
    ++sums.terms[place];
  }
  return sums;
}

Elements scatter_add_wrapping(Elements y, const Elements& source, const std::vector<Move>& moves) {
  for (const Move& move : moves) {
    if (move.place < 0) continue;
    const std::uint64_t sum = bits_at(y, move.place) + bits_at(source, move.element);
    std::memcpy(y.at(move.place), &sum, size_of(y.dtype()));
  }
  return y;
}

}  // namespace kernelgen::reference
