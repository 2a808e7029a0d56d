#pragma once
#include <span>
#include <string_view>

#include "element.hpp"

namespace kernelgen::reference {

std::span<const std::string_view> binary_operations();
std::span<const std::string_view> compare_operations();

/// add, sub, mul, div, maximum, minimum: the IEEE result; NaN wins in maximum and minimum. Integers wrap,
/// division truncates, x / 0 is 0 and lowest / -1 is lowest.
Elements binary(std::string_view operation, const Elements& a, const Elements& b);

/// eq, ne, lt, le, gt, ge: u8, 0 or 1.
Elements compare(std::string_view operation, const Elements& a, const Elements& b);

/// The two results that x · mul + add may have: with one rounding, and with the product rounded first (to f32
/// for narrower dtypes). They are the same for integers, which wrap.
struct Affine {
  Elements fused;
  Elements separate;
};
Affine affine(const Elements& x, const Elements& mul, const Elements& add);

}  // namespace kernelgen::reference
