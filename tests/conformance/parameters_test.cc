// Element-wise operations with several scalars: clamp, leaky_relu, xielu, swiglu_oai.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/unary.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::make_scalar;

void test_leaky_relu(DType dtype) {
  bool is_first = true;
  for (const double slope : {0.1, 0.0, -0.5, 2.0}) {
    Subject subject = called_by_name("leaky_relu", {dtype}, dtype, {slope});
    subject.scalars = "slope = " + std::to_string(slope);
    subject.reference = [=](std::span<const Elements> inputs) {
      return Wanted{reference::leaky_relu(inputs[0], make_scalar(dtype, slope)), {}};
    };
    Walk walk(subject);
    is_first ? walk.everything() : walk.values();
    is_first = false;
  }
  const Tensor x = upload(repeat(pool(dtype), 0, 300));
  const Scalar slope = 0.25;
  EXPECT_EQ(leaky_relu(x, 0.25).to_host(), call("leaky_relu", {&x, 1}, {&slope, 1}).to_host());
}

void test_clamp(DType dtype) {
  constexpr std::pair<double, double> all[] = {{1, 100}, {-1, 1},       {-0.5, 0.25},
                                               {5, 2},   {0, INFINITY}, {-300, 300}};
  bool is_first = true;
  for (const auto& [low, high] : all) {
    if (!reference::holds(dtype, low) || !reference::holds(dtype, high)) continue;
    Subject subject = called_by_name("clamp", {dtype}, dtype, {low, high});
    subject.scalars = "from " + std::to_string(low) + " to " + std::to_string(high);
    subject.reference = [=, low = low, high = high](std::span<const Elements> inputs) {
      return Wanted{reference::clamp(inputs[0], make_scalar(dtype, low), make_scalar(dtype, high)), {}};
    };
    Walk walk(subject);
    is_first ? walk.everything() : walk.values();
    is_first = false;
  }
  const Tensor x = upload(repeat(pool(dtype), 0, 300));
  const std::array<Scalar, 2> bounds{2, 5};
  EXPECT_EQ(clamp(x, 2, 5).to_host(), call("clamp", {&x, 1}, bounds).to_host());
}

/// The number as the operation has it.
Real as(DType dtype, double number) { return real_at(make_scalar(dtype, number), 0); }

/// Into the middle of a storage, which is not aligned, and into a new tensor, which the contiguous kernels need.
void expect_both(const std::string& what, DType dtype, const Shape& shape, const Approximation& wanted,
                 const std::function<Tensor(const CallOptions&)>& operation) {
  expect_call(what, dtype, shape, wanted, operation);
  expect_within(what + ", new", download(operation({})), wanted.value, wanted.error);
}

void check_xielu(DType dtype, Kind kind, const Shape& shape) {
  constexpr double numbers[] = {0.8, 1.3, 0.5, -0.01};
  const Real negative = as(dtype, numbers[0]), positive = as(dtype, numbers[1]), beta = as(dtype, numbers[2]),
             eps = as(dtype, numbers[3]), u = accumulator_unit(dtype);
  const Input x = make_input(kind, shape, moderate(dtype, 997, 41));
  Approximation wanted;
  for (std::int64_t i = 0; i < x.elements.count(); ++i) {
    const Real v = real_at(x.elements, i), power = std::expm1(std::min(v, eps));
    const Real curve = v > 0 ? positive * v * v : (power - v) * negative;
    const Real magnitude = v > 0 ? curve : (std::fabs(power) + std::fabs(v)) * negative;
    wanted.add(curve + beta * v, 6 * u * (magnitude + std::fabs(beta * v)));
  }
  expect_both("xielu " + std::string(name_of(dtype)) + " " + std::string(name_of(kind)), dtype, shape, wanted,
              [&](const CallOptions& options) {
                return xielu(x.tensor, numbers[0], numbers[1], numbers[2], numbers[3], options);
              });
}

void check_swiglu_oai(DType dtype, Kind kind, const Shape& shape) {
  constexpr double numbers[] = {1.702, 2.5};
  const Real alpha = as(dtype, numbers[0]), limit = as(dtype, numbers[1]), u = accumulator_unit(dtype);
  const Input a = make_input(kind, shape, moderate(dtype, 997, 43)),
              b = make_input(Kind::contiguous, shape, moderate(dtype, 991, 47));
  Approximation wanted;
  for (std::int64_t i = 0; i < a.elements.count(); ++i) {
    const Real c = std::min(real_at(a.elements, i), limit),
               d = std::clamp(real_at(b.elements, i), -limit, limit);
    const Real value = c / (1 + std::exp(-alpha * c)) * (1 + d);
    wanted.add(value, u * (16 + 4 * std::fabs(alpha * c)) * std::fabs(value));
  }
  expect_both("swiglu_oai " + std::string(name_of(dtype)) + " " + std::string(name_of(kind)), dtype, shape,
              wanted, [&](const CallOptions& options) {
                return swiglu_oai(a.tensor, b.tensor, numbers[0], numbers[1], options);
              });
}

}  // namespace

void register_parameter_tests() {
  for (const DType dtype : all_dtypes)
    register_test("clamp", std::string(name_of(dtype)), [dtype] { test_clamp(dtype); });
  for (const DType dtype : float_dtypes) {
    const std::string types(name_of(dtype));
    register_test("leaky_relu", types, [dtype] { test_leaky_relu(dtype); });
    register_test("xielu", types, [dtype] {
      for (const Kind kind : strided_kinds) check_xielu(dtype, kind, {13, 77});
    });
    register_test("swiglu_oai", types, [dtype] {
      for (const Kind kind : strided_kinds) check_swiglu_oai(dtype, kind, {13, 77});
    });
  }
}

}  // namespace kernelgen::conformance
