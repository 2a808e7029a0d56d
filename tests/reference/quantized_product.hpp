#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "element.hpp"

namespace kernelgen::reference {

/// Products of rows of x with rows of weights, both of n elements, in f64: row i by row j is number i * (rows of w) + j.
struct Products {
  std::vector<Real> value;
  std::vector<Real> rounding;  ///< n roundings of f32
  std::vector<Real>
      quantizing;  ///< of x to q8_1: half a step, largest magnitude / 127 of a block of 32, for each element
};
Products quantized_products(std::span<const float> x, std::span<const float> w, std::int64_t n);

}  // namespace kernelgen::reference
