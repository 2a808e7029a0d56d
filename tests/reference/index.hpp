#pragma once
#include <vector>

#include "element.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::reference {

/// Where an element goes to, or comes from: numbers in row-major order.
struct Move {
  std::int64_t element;  ///< of `shape`
  std::int64_t place;    ///< of the shape indexed into; -1 for the largest value of the ids' type
};

/// For each element of `shape`, in row-major order: its coordinates with that of `dim` replaced by its index, as
/// an element of `indexed`. `ids` holds one index an element, or (`by_slice`) one for each place along `dim`.
/// Throws std::out_of_range for an index outside of `indexed`.
std::vector<Move> moves(const Shape& shape, std::size_t dim, const Shape& indexed, const Elements& ids,
                        bool by_slice);

/// Elements of x where the moves come from, 0 where they come from nowhere.
Elements gather(const Elements& x, const std::vector<Move>& moves);

/// y with elements of `source`, which has the shape of the moves, set one after another.
Elements scatter_set(Elements y, const Elements& source, const std::vector<Move>& moves);

/// Exact sums of y and what is added to it (but for the 64-bit mantissa of Real), how many terms each has, and
/// Σ|terms|.
struct Sums {
  std::vector<Real> values, magnitudes;
  std::vector<std::int64_t> terms;
};
Sums scatter_add(const Elements& y, const Elements& source, const std::vector<Move>& moves);

/// The same of integers, which wrap.
Elements scatter_add_wrapping(Elements y, const Elements& source, const std::vector<Move>& moves);

}  // namespace kernelgen::reference
