// Calls that rand_uniform and rand_normal refuse.
#include <gtest/gtest.h>

#include <limits>

#include "environment.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(RandomError, EmptyRange) {
  for (const double high : {1.0, 0.5, -infinity})
    expect_error(Code::invalid_argument, {"rand_uniform"},
                 [&] { rand_uniform(device(), {3}, DType::f32, 1, high); });
  // Both round to 1.
  expect_error(Code::invalid_argument, {"rand_uniform", "f8e4m3", "[1, 1.01)", "less than"},
               [] { rand_uniform(device(), {3}, DType::f8e4m3, 1, 1.01); });
}

TEST(RandomError, NumbersThatTheDtypeDoesNotHold) {
  expect_error(Code::invalid_argument, {"rand_uniform", "low", "nan", "f32"},
               [] { rand_uniform(device(), {3}, DType::f32, nan, 1); });
  expect_error(Code::invalid_argument, {"rand_uniform", "high", "inf", "f64"},
               [] { rand_uniform(device(), {3}, DType::f64, 0, infinity); });
  expect_error(Code::invalid_argument, {"rand_uniform", "high", "70000", "f16"},
               [] { rand_uniform(device(), {3}, DType::f16, 0, 70000); });
  expect_error(Code::invalid_argument, {"rand_normal", "mean", "1e+300", "bf16"},
               [] { rand_normal(device(), {3}, DType::bf16, 1e300, 1); });
  expect_error(Code::invalid_argument, {"rand_normal", "std", "nan", "f8e4m3"},
               [] { rand_normal(device(), {3}, DType::f8e4m3, 0, nan); });
}

TEST(RandomError, NegativeDeviation) {
  expect_error(Code::invalid_argument, {"rand_normal", "std", "-1"},
               [] { rand_normal(device(), {3}, DType::f32, 0, -1); });
}

TEST(RandomError, IntegerDtype) {
  expect_error(Code::invalid_argument, {"rand_uniform", "i32", "bf16", "f8e4m3"},
               [] { rand_uniform(device(), {3}, DType::i32, 0, 10); });
  expect_error(Code::invalid_argument, {"rand_normal", "u8"},
               [] { rand_normal(device(), {3}, DType::u8, 0, 1); });
}

TEST(RandomError, NoDevice) {
  expect_error(Code::invalid_argument, {"rand_uniform", "device"},
               [] { rand_uniform(Device(), {3}, DType::f32, 0, 1); });
}

TEST(RandomError, OutputThatDoesNotFit) {
  const Tensor out = Tensor::zeros(device(), {4}, DType::f32);
  const CallOptions options{.out = &out};
  expect_error(Code::invalid_argument, {"rand_normal", "[4]", "[3]"},
               [&] { rand_normal(device(), {3}, DType::f32, 0, 1, options); });
  expect_error(Code::invalid_argument, {"rand_normal", "f32", "f16"},
               [&] { rand_normal(device(), {4}, DType::f16, 0, 1, options); });
  EXPECT_EQ(out.to_host(), std::vector<std::byte>(16));
}

}  // namespace
}  // namespace kernelgen::conformance
