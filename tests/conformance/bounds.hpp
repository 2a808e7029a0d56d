#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "kernelgen/dtype.hpp"
#include "reference/element.hpp"

/// How far a result may be from the correctly rounded one.
namespace kernelgen::conformance {

using reference::Elements;
using reference::Real;

struct Bound {
  int ulps = 0;
  bool zero_sign_free = false;
  /// Left of -1, where the function goes to zero, an absolute error ≤ tail · |x| passes too, times what the function is
  /// multiplied by. 0: no such rule.
  Real tail = 0;
  /// What the function may be off by where its values are subnormal, times what it is multiplied by.
  Real least = 0;
  /// Bits are copied, so a NaN keeps its own.
  bool keeps_bits = false;
};

/// The bound of an operation whose result is of that dtype.
Bound bound_of(std::string_view operation, DType dtype);

/// What an operation should give. Where two ways to round are allowed, the second is `alternative`.
struct Wanted {
  Elements values;
  std::optional<Elements> alternative;
};

/// Steps between neighbouring elements from one to the other; a step over both zeros is none. Integers: the
/// difference.
std::uint64_t ulps_between(DType dtype, std::uint64_t a, std::uint64_t b);

struct Mismatches {
  std::int64_t count = 0;
  std::int64_t first = 0;
};

/// What the bounds of a function are multiplied by for one element.
struct Scale {
  Real tail = 0;    ///< |x|, and what the function is multiplied by; 0 where there is no tail
  Real factor = 0;  ///< what the function is multiplied by; 0 where it is not
};

/// Compares element by element. `scale_at` gives an index's.
Mismatches find_mismatches(const Bound& bound, const Elements& got, const Wanted& wanted,
                           const std::function<Scale(std::int64_t)>& scale_at);

}  // namespace kernelgen::conformance
