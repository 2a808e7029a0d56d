#include "tolerance.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"

namespace kernelgen::conformance {
namespace {

/// Counts what is wrong and reports once.
template <class Wrong, class Describe>
void expect_none(const std::string& what, const Elements& got, Wrong wrong, Describe wanted) {
  std::int64_t count = 0, first = -1;
  for (std::int64_t i = 0; i < got.count(); ++i) {
    if (!wrong(i)) continue;
    if (count++ == 0) first = i;
  }
  if (count > 0)
    ADD_FAILURE() << what << ": " << count << " of " << got.count() << " elements are wrong; element "
                  << first << " is " << describe(got, first) << ", wanted " << wanted(first)
                  << " (KERNELGEN_SEED=" << seed() << ")";
}

bool same_value(Real a, Real b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

void expect_within(const std::string& what, const Elements& got, std::span<const Real> exact,
                   std::span<const Real> slack) {
  ASSERT_EQ(got.count(), static_cast<std::int64_t>(exact.size())) << what;
  const auto rounded = [&](Real value) { return real_at(reference::make_scalar(got.dtype(), value), 0); };
  expect_none(
      what, got,
      [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        const Real value = real_at(got, i);
        if (value == exact[k]) return false;
        if (std::isnan(exact[k]) || std::isinf(exact[k])) return !same_value(value, rounded(exact[k]));
        return !(value >= rounded(exact[k] - slack[k]) && value <= rounded(exact[k] + slack[k]));
      },
      [&](std::int64_t i) {
        const auto k = static_cast<std::size_t>(i);
        return std::to_string(exact[k]) + " within " + std::to_string(slack[k]);
      });
}

void expect_same_values(const std::string& what, const Elements& got, const Elements& wanted) {
  ASSERT_EQ(got.dtype(), wanted.dtype()) << what;
  ASSERT_EQ(got.count(), wanted.count()) << what;
  if (got.bytes() == wanted.bytes()) return;
  expect_none(
      what, got, [&](std::int64_t i) { return !same_value(real_at(got, i), real_at(wanted, i)); },
      [&](std::int64_t i) { return describe(wanted, i); });
}

Real accumulator_unit(DType dtype) { return std::ldexp(Real{1}, dtype == DType::f64 ? -53 : -24); }

Real sum_slack(DType dtype, std::int64_t n, Real magnitudes) {
  const Real terms = static_cast<Real>(n);
  return (4 + 2 * std::log2(terms) + terms / 512) * accumulator_unit(dtype) * magnitudes;
}

}  // namespace kernelgen::conformance
