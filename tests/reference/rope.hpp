#pragma once
#include "element.hpp"
#include "image.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::reference {

enum class RopePairs {
  halves,     ///< elements i and i + d/2
  neighbours  ///< elements 2i and 2i + 1
};

/// x is [a, b, c, d], whose dim `positions` (1 or 2) counts positions; cos and sin are [batches, angles, d/2]
/// with one batch for all or one each. A pair (a, b) becomes (a · cos - b · sin, a · sin + b · cos).
Sums rope(const Elements& x, const Elements& cos, const Elements& sin, const Shape& shape,
          std::size_t positions, RopePairs pairs, std::int64_t batches, std::int64_t angles);

}  // namespace kernelgen::reference
