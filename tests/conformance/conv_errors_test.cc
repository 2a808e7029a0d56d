// Calls that convolutions refuse.
#include <gtest/gtest.h>

#include "environment.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

Tensor zeros(const Shape& shape, DType dtype = DType::f32) { return Tensor::zeros(device(), shape, dtype); }

TEST(ConvError, Rank) {
  expect_error(Code::invalid_argument, {"conv2d", "[1, 3, 8]", "[batch, channels, height, width]"},
               [] { conv2d(zeros({1, 3, 8}), zeros({4, 3, 3, 3})); });
  expect_error(Code::invalid_argument, {"conv1d", "[1, 3, 8, 8]", "[batch, channels, length]"},
               [] { conv1d(zeros({1, 3, 8, 8}), zeros({4, 3, 3})); });
  expect_error(Code::invalid_argument,
               {"conv2d", "[4, 3, 3]", "[out_channels, channels / groups, height, width]"},
               [] { conv2d(zeros({1, 3, 8, 8}), zeros({4, 3, 3})); });
  expect_error(Code::invalid_argument,
               {"conv_transpose1d", "[3, 4]", "[channels, out_channels / groups, length]"},
               [] { conv_transpose1d(zeros({1, 3, 8}), zeros({3, 4})); });
}

TEST(ConvError, Channels) {
  expect_error(Code::invalid_argument, {"conv2d", "[4, 2, 3, 3]", "3 channels", "[1, 3, 8, 8]", "1 groups"},
               [] { conv2d(zeros({1, 3, 8, 8}), zeros({4, 2, 3, 3})); });
  expect_error(Code::invalid_argument, {"conv_transpose2d", "[2, 4, 3, 3]", "3 channels"},
               [] { conv_transpose2d(zeros({1, 3, 8, 8}), zeros({2, 4, 3, 3})); });
  expect_error(Code::invalid_argument, {"conv2d", "2 groups", "[1, 3, 8, 8]"},
               [] { conv2d(zeros({1, 3, 8, 8}), zeros({4, 1, 3, 3}), {.groups = 2}); });
  expect_error(Code::invalid_argument, {"conv1d", "4 groups", "[6, 1, 3]"},
               [] { conv1d(zeros({1, 4, 8}), zeros({6, 1, 3}), {.groups = 4}); });
  expect_error(Code::invalid_argument, {"conv1d", "groups is 0"},
               [] { conv1d(zeros({1, 4, 8}), zeros({6, 4, 3}), {.groups = 0}); });
}

TEST(ConvError, Windows) {
  const Tensor x = zeros({1, 1, 4, 5}), weight = zeros({1, 1, 3, 3});
  expect_error(Code::invalid_argument, {"conv2d", "stride", "height", "0"},
               [&] { conv2d(x, weight, {.stride = {0, 1}}); });
  expect_error(Code::invalid_argument, {"conv2d", "dilation", "width", "-1"},
               [&] { conv2d(x, weight, {.dilation = {1, -1}}); });
  expect_error(Code::invalid_argument, {"conv_transpose2d", "padding", "height", "-2"},
               [&] { conv_transpose2d(x, weight, {.padding = {-2, 0}}); });
  expect_error(Code::invalid_argument, {"conv_transpose2d", "output padding", "width", "-1"},
               [&] { conv_transpose2d(x, weight, {.output_padding = {0, -1}}); });
  expect_error(Code::invalid_argument, {"conv2d", "output padding", "transposed"},
               [&] { conv2d(x, weight, {.output_padding = {1, 0}}); });
  expect_error(Code::invalid_argument, {"conv2d", "kernel", "height", "0"},
               [&] { conv2d(x, zeros({1, 1, 0, 3})); });
  expect_error(Code::invalid_argument, {"conv2d", "width", "5", "kernel of 3", "dilation 3", "no output"},
               [&] { conv2d(x, weight, {.dilation = {1, 3}}); });
  expect_error(Code::invalid_argument, {"conv_transpose1d", "length", "no output"},
               [] { conv_transpose1d(zeros({1, 1, 2}), zeros({1, 1, 3}), {.padding = 2}); });
  expect_error(Code::invalid_argument, {"conv2d", "padded height", "2^31"},
               [&] { conv2d(x, weight, {.padding = {std::int64_t{1} << 30, 0}}); });
}

TEST(ConvError, Dtypes) {
  expect_error(Code::invalid_argument, {"conv1d", "i32", "f16"},
               [] { conv1d(zeros({1, 1, 4}, DType::i32), zeros({1, 1, 3}, DType::i32)); });
  expect_error(Code::invalid_argument, {"conv2d", "weight", "f16", "f32"},
               [] { conv2d(zeros({1, 1, 4, 4}), zeros({1, 1, 3, 3}, DType::f16)); });
  expect_error(Code::invalid_argument, {"conv_transpose2d", "default-constructed Tensor"},
               [] { conv_transpose2d(zeros({1, 1, 4, 4}), {}); });
}

TEST(ConvError, Output) {
  const Tensor x = zeros({1, 1, 4, 4}), weight = zeros({1, 1, 3, 3}), wrong = zeros({1, 1, 4, 2});
  expect_error(Code::invalid_argument, {"conv2d", "[1, 1, 4, 2]", "[1, 1, 2, 2]"},
               [&] { conv2d(x, weight, {}, {.out = &wrong}); });
  expect_error(Code::invalid_argument, {"conv2d", "overlaps"},
               [&] { conv2d(x, weight, {.padding = {1, 1}}, {.out = &x}); });
}

}  // namespace
}  // namespace kernelgen::conformance
