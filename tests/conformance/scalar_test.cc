// Element-wise operations of one input with scalars: powf, elu, affine.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <utility>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/binary.hpp"
#include "reference/unary.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::make_scalar;

std::string text_of(const char* name, double value) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s = %.17g", name, value);
  return text.data();
}

/// powf and elu: a float operation of one scalar. The first value goes through every layout, the others
/// through all inputs.
void test_one_scalar(const char* operation, const char* parameter, std::span<const double> values,
                     DType dtype, Elements (*reference)(const Elements&, const Elements&)) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    Subject subject = called_by_name(operation, {dtype}, dtype, {value});
    subject.scalars = text_of(parameter, value);
    subject.reference = [=](std::span<const Elements> inputs) {
      return Wanted{reference(inputs[0], make_scalar(dtype, value)), {}};
    };
    Walk walk(subject);
    i == 0 ? walk.everything() : walk.values();
  }
}

void test_powf(DType dtype) {
  constexpr double exponents[] = {2.7, 0, 1, 2, 3, -1, -2, 0.5, -0.5, 10, -7.3, 1.0 / 3};
  test_one_scalar("powf", "e", exponents, dtype, reference::powf);
}

void test_elu(DType dtype) {
  constexpr double alphas[] = {1, 0.5, -0.3, 0, 3};
  test_one_scalar("elu", "alpha", alphas, dtype, reference::elu);
}

void test_affine(DType dtype) {
  constexpr std::pair<double, double> all[] = {
      {1.5, -0.25}, {3, 7},     {0, 1},       {-2, 3},   {1, 0},
      {255, 200},   {0.1, 0.7}, {300, -1e10}, {-1e3, 1}, {1.0 / 3, -1.0 / 3}};
  std::vector<std::pair<double, double>> pairs;
  for (const auto& [mul, add] : all)
    if (reference::holds(dtype, mul) && reference::holds(dtype, add))
      pairs.emplace_back(mul, add);
    else
      test::expect_error(Code::invalid_argument, {"scalar: ", "with a tensor of "},
                         [&] { kernelgen::affine(upload(repeat(pool(dtype), 0, 3)), mul, add); });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto [mul, add] = pairs[i];
    Subject subject = called_by_name("affine", {dtype}, dtype, {mul, add});
    subject.scalars = text_of("mul", mul) + ", " + text_of("add", add);
    subject.reference = [dtype, mul = mul, add = add](std::span<const Elements> inputs) {
      reference::Affine results =
          reference::affine(inputs[0], make_scalar(dtype, mul), make_scalar(dtype, add));
      return Wanted{std::move(results.fused), std::move(results.separate)};
    };
    Walk walk(subject);
    i == 0 ? walk.everything() : walk.values();
    if (i == 0) walk.beyond_caches();
  }
}

/// 64-bit integers that no double holds reach the kernel whole.
void test_affine_wide_integers() {
  const std::int64_t mul = (std::int64_t{1} << 62) + 1;
  const std::int64_t add = -((std::int64_t{1} << 55) + 3);
  Subject subject = called_by_name("affine", {DType::i64}, DType::i64, {mul, add});
  subject.reference = [=](std::span<const Elements> inputs) {
    const auto scalar = [](std::int64_t value) { return make_scalar(DType::i64, static_cast<Real>(value)); };
    return Wanted{reference::affine(inputs[0], scalar(mul), scalar(add)).fused, {}};
  };
  Walk(subject).values();
}

/// The named functions give what the call by name gives.
void test_functions(DType dtype) {
  const Tensor x = upload(repeat(pool(dtype), 0, 300));
  const auto same = [](const Tensor& a, const Tensor& b) { EXPECT_EQ(a.to_host(), b.to_host()); };
  const std::array<Scalar, 2> scalars{2.5, -1};
  const std::span<const Scalar> one = std::span(scalars).first(1);
  same(kernelgen::affine(x, 2.5, -1), call("affine", {&x, 1}, scalars));
  same(kernelgen::powf(x, 2.5), call("powf", {&x, 1}, one));
  same(kernelgen::elu(x, 2.5), call("elu", {&x, 1}, one));
}

}  // namespace

void register_scalar_tests() {
  for (const DType dtype : float_dtypes) {
    const std::string types(name_of(dtype));
    register_test("powf", types, [dtype] { test_powf(dtype); });
    register_test("elu", types, [dtype] { test_elu(dtype); });
    register_test("scalar_functions", types, [dtype] { test_functions(dtype); });
  }
  for (const DType dtype : all_dtypes)
    register_test("affine", std::string(name_of(dtype)), [dtype] { test_affine(dtype); });
  register_test("affine", "i64_wide_scalars", test_affine_wide_integers);
}

}  // namespace kernelgen::conformance
