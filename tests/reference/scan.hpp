#pragma once
#include <vector>

#include "element.hpp"

namespace kernelgen::reference {

/// The sums of a line's first one, two … elements: exact but for the 64-bit mantissa of Real, and the sums of their
/// magnitudes.
struct PrefixSums {
  std::vector<Real> values, magnitudes;
};
PrefixSums prefix_sums(const Elements& line);

/// Those of integers, which wrap.
Elements integer_prefix_sums(const Elements& line);

}  // namespace kernelgen::reference
