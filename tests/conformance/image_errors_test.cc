// Calls that operations on images and rope refuse.
#include <gtest/gtest.h>

#include <limits>

#include "environment.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

TEST(PoolError, Rank) {
  expect_error(Code::invalid_argument, {"avg_pool2d", "[3, 4, 4]", "[batch, channels, height, width]"},
               [] { avg_pool2d(zeros({3, 4, 4}), {2, 2}, {2, 2}); });
  expect_error(Code::invalid_argument, {"max_pool2d", "[4]"}, [] { max_pool2d(zeros({4}), {2, 2}, {2, 2}); });
  expect_error(Code::invalid_argument, {"max_pool2d", "default-constructed Tensor"},
               [] { max_pool2d({}, {2, 2}, {2, 2}); });
}

TEST(PoolError, Windows) {
  const Tensor x = zeros({1, 1, 4, 5});
  expect_error(Code::invalid_argument, {"max_pool2d", "height", "5", "4"},
               [&] { max_pool2d(x, {5, 5}, {1, 1}); });
  expect_error(Code::invalid_argument, {"avg_pool2d", "width", "6", "5"},
               [&] { avg_pool2d(x, {4, 6}, {1, 1}); });
  expect_error(Code::invalid_argument, {"avg_pool2d", "kernel's height", "0"},
               [&] { avg_pool2d(x, {0, 1}, {1, 1}); });
  expect_error(Code::invalid_argument, {"avg_pool2d", "stride's width", "0"},
               [&] { avg_pool2d(x, {1, 1}, {1, 0}); });
  expect_error(Code::invalid_argument, {"max_pool2d", "stride's height", "-2"},
               [&] { max_pool2d(x, {1, 1}, {-2, 1}); });
}

TEST(PoolError, OutputThatDoesNotFit) {
  const Tensor x = zeros({1, 1, 4, 4}), out = zeros({1, 1, 2, 3});
  expect_error(Code::invalid_argument, {"max_pool2d", "[1, 1, 2, 3]", "[1, 1, 2, 2]"},
               [&] { max_pool2d(x, {2, 2}, {2, 2}, {.out = &out}); });
  const Tensor overlapping = x.reshape({16}).narrow(0, 4, 4).reshape({1, 1, 2, 2});
  expect_error(Code::invalid_argument, {"avg_pool2d", "overlaps"},
               [&] { avg_pool2d(x, {2, 2}, {2, 2}, {.out = &overlapping}); });
}

TEST(UpsampleError, Rank) {
  expect_error(Code::invalid_argument, {"upsample_nearest1d", "[1, 2, 3, 4]", "[batch, channels, length]"},
               [] { upsample_nearest1d(zeros({1, 2, 3, 4}), 5); });
  expect_error(Code::invalid_argument, {"upsample_nearest2d", "[1, 2, 3]"},
               [] { upsample_nearest2d(zeros({1, 2, 3}), {5, 5}); });
  expect_error(Code::invalid_argument, {"upsample_bilinear2d", "[3]"},
               [] { upsample_bilinear2d(zeros({3}), {5, 5}, false); });
}

TEST(UpsampleError, Sizes) {
  expect_error(Code::invalid_argument, {"upsample_nearest1d", "length", "-1"},
               [] { upsample_nearest1d(zeros({1, 1, 4}), -1); });
  expect_error(Code::invalid_argument, {"upsample_nearest2d", "height", "2", "0"},
               [] { upsample_nearest2d(zeros({1, 1, 0, 4}), {2, 2}); });
  expect_error(Code::invalid_argument, {"upsample_bilinear2d", "width", "2147483648", "2^31"},
               [] { upsample_bilinear2d(zeros({1, 1, 4, 4}), {1, std::int64_t{1} << 31}, false); });
}

TEST(UpsampleError, Scales) {
  const Tensor x = zeros({1, 1, 4, 4});
  for (const double scale :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    expect_error(Code::invalid_argument, {"upsample_bilinear2d", "height"},
                 [&] { upsample_bilinear2d(x, {2, 2}, false, {scale, {}}); });
    expect_error(Code::invalid_argument, {"upsample_bilinear2d", "width"},
                 [&] { upsample_bilinear2d(x, {2, 2}, true, {{}, scale}); });
  }
}

TEST(RopeError, Shapes) {
  const Tensor angles = zeros({5, 4});
  expect_error(Code::invalid_argument, {"rope", "[5, 8]", "[batch, heads, positions, d]"},
               [&] { rope(zeros({5, 8}), angles, angles); });
  expect_error(Code::invalid_argument, {"rope_i", "[1, 2, 5, 7]", "even"},
               [&] { rope_i(zeros({1, 2, 5, 7}), angles, angles); });
  // Fewer positions than x has, in the dim that counts them.
  expect_error(Code::invalid_argument, {"rope", "cos", "[5, 4]", "[6, 4]"},
               [&] { rope(zeros({1, 2, 6, 8}), angles, angles); });
  expect_error(Code::invalid_argument, {"rope_thd", "sin", "[5, 4]", "[1, 6, 4]"},
               [&] { rope_thd(zeros({1, 6, 2, 8}), zeros({6, 4}), angles); });
  expect_error(Code::invalid_argument, {"rope", "sin", "[5, 3]"},
               [&] { rope(zeros({1, 2, 5, 8}), angles, zeros({5, 3})); });
  expect_error(Code::invalid_argument, {"rope", "cos", "[3, 5, 4]", "[2, 5, 4]"},
               [&] { rope(zeros({2, 2, 5, 8}), zeros({3, 5, 4}), angles); });
  expect_error(Code::invalid_argument, {"rope", "cos", "[4]"},
               [&] { rope(zeros({2, 2, 5, 8}), zeros({4}), angles); });
}

TEST(RopeError, Dtypes) {
  const Tensor angles = zeros({5, 4}), x = zeros({1, 2, 5, 8});
  expect_error(Code::invalid_argument, {"rope_thd", "i32", "f16"}, [&] {
    const Tensor whole = zeros({5, 4}, DType::i32);
    rope_thd(zeros({1, 5, 2, 8}, DType::i32), whole, whole);
  });
  expect_error(Code::invalid_argument, {"rope", "sin", "f16", "f32"},
               [&] { rope(x, angles, zeros({5, 4}, DType::f16)); });
  expect_error(Code::invalid_argument, {"rope_i", "default-constructed Tensor"},
               [&] { rope_i(x, {}, angles); });
  expect_error(Code::invalid_argument, {"rope", "overlaps"}, [&] { rope(x, angles, angles, {.out = &x}); });
}

}  // namespace
}  // namespace kernelgen::conformance
