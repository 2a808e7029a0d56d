#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "array/array_expression.hpp"
#include "kernelgen/tensor.hpp"
#include "manifest/kernel.hpp"
#include "manifest/reference.hpp"

namespace kernelgen::tool {

/// An input of a test.
struct DrawnInput {
  std::string name;
  DType dtype;
  Shape shape;
  std::string layout;  ///< "contiguous", "transposed", …
  std::function<Tensor(const Device&)> tensor;
};

/// What an operation is called with, and the same as arrays.
struct DrawnCase {
  std::vector<DrawnInput> inputs;
  std::vector<std::string> parameters;  ///< "dim=1"
  ArrayNames names;

  /// "x f32 [3, 17] transposed, dim=1"
  std::string text() const;
};

struct DrawLimits {
  std::size_t elements;     ///< of an input
  bool has_layouts = true;  ///< inputs may be strided
};

/// A case of an operation, with these dtypes for its type variables; the same for the same seed. Throws
/// ArrayFault where no shape meets what the operation requires.
DrawnCase draw_case(const Operation& operation, const Reference& reference, std::span<const DType> types,
                    std::uint64_t seed, const DrawLimits& limits);

}  // namespace kernelgen::tool
