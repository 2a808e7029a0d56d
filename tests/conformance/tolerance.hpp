#pragma once
#include <span>
#include <string>

#include "reference/element.hpp"

namespace kernelgen::conformance {

using reference::Elements;
using reference::Real;

/// Fails unless every element is between what exact - slack and exact + slack round to; a NaN is wanted
/// where `exact` is one. Reports the first that does not and how many.
void expect_within(const std::string& what, const Elements& got, std::span<const Real> exact,
                   std::span<const Real> slack);

/// Fails unless every element has the value wanted: one NaN is as good as another, and one zero.
void expect_same_values(const std::string& what, const Elements& got, const Elements& wanted);

/// 2^-p, p being the bits of precision of what narrow floats, f32 and f64 are accumulated in.
Real accumulator_unit(DType dtype);
/// What a sum of n terms may be wrong by, for the sum of their magnitudes.
Real sum_slack(DType dtype, std::int64_t n, Real magnitudes);

}  // namespace kernelgen::conformance
