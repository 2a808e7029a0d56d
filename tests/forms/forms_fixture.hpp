#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "kernelgen/graph.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"

/// Shared by the tests of operations that manifests/ describes.
namespace kernelgen::forms {

using test::expect_error;
using Values = std::vector<double>;

inline const Device& device() {
  static const Device opened = [] {
    const char* const name = std::getenv("KERNELGEN_DEVICE");
    const Package packages[] = {Package::open(KERNELGEN_FORMS_PACKAGE),
                                Package::open(KERNELGEN_BODIES_PACKAGE),
                                Package::open(KERNELGEN_PRODUCTS_PACKAGE)};
    return Device::open(name != nullptr ? name : "cpu", packages);
  }();
  return opened;
}

inline bool is_simulated() { return device().kind() != DeviceKind::cpu; }

/// Multiples of 1/8 from -4 to 4: exact in every float type, and their squares in f16.
inline Values numbers(std::int64_t count) {
  Values values;
  std::uint32_t state = 12345;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back((static_cast<double>(state >> 16 & 63) - 32) / 8);
  }
  return values;
}

inline Tensor tensor(const Values& values, const Shape& shape, DType type) {
  const Tensor wide = Tensor::from_vector<double>(device(), values, shape);
  return type == DType::f64 ? wide : to_dtype(wide, type);
}

inline Values values_of(const Tensor& x) {
  return (x.dtype() == DType::f64 ? x : to_dtype(x, DType::f64)).to_vector<double>();
}

inline double tolerance(DType type) {
  return type == DType::f16 ? 2e-3 : type == DType::f32 ? 2e-6 : type == DType::f64 ? 1e-13 : 0;
}

inline void expect_near(const Tensor& result, const Values& expected, double relative) {
  const Values found = values_of(result);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], relative * std::max(1.0, std::abs(expected[i]))) << "element " << i;
}

}  // namespace kernelgen::forms
