#pragma once
#include <optional>
#include <span>
#include <string>

#include "array/array.hpp"
#include "kernelgen/dtype.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::tool {

/// A result of an operation, on the host.
struct HostResult {
  DType dtype;
  Shape shape;
  std::span<const std::byte> bytes;
};

/// An element that is not what the reference gives.
struct Difference {
  std::string element;  ///< "[2, 4]"; empty: the shapes differ
  std::string is, has_to_be;
  double allowed = 0;
};

/// The error that results of a dtype may have, relative to their magnitude; 0 for integers.
double usual_tolerance(DType dtype);

/// The first element of `result` that is not that of `expected`: floats up to the tolerance, times the magnitude of the element
/// or of all on average; integers exactly. `wraps`: integers that do not fit wrap around, else they are clamped.
std::optional<Difference> first_difference(const HostResult& result, const Array& expected, double tolerance,
                                           bool wraps);

}  // namespace kernelgen::tool
