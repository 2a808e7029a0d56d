// The kernels that correct results of convolution libraries, without a library.
#include <gtest/gtest.h>

#include <limits>
#include <span>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "kernelgen/ops/image.hpp"
#include "ops/conv_problem.hpp"
#include "reference/element.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// Two images of two groups, in which padding and the steps of a dilated kernel leave products out.
constexpr std::int64_t batch = 2, groups = 2, in_channels = 3, out_channels = 4, in_rows = 6, in_columns = 5,
                       kernel_rows = 3, kernel_columns = 2;
constexpr Window2 window{{2, 1}, {2, 1}, {1, 2}, {}, groups};

kg::ConvShape shape_of(const Shape& y, bool is_transposed) {
  const ConvAxis rows{
      in_rows, kernel_rows, window.stride.height, window.padding.height, window.dilation.height, 0, y[2]},
      columns{in_columns, kernel_columns, window.stride.width, window.padding.width, window.dilation.width, 0,
              y[3]};
  return conv_shape({"", is_transposed, batch, groups, in_channels, out_channels, rows, columns},
                    whole_conv_phase(rows, is_transposed), whole_conv_phase(columns, is_transposed),
                    columns.out, 1);
}

/// Every third weight of each other output channel is infinite, or NaN in f8e4m3, which has no infinity. All other numbers
/// are small integers, whose sums are exact.
Elements weights_of(DType dtype, bool is_transposed) {
  using Limits = std::numeric_limits<Real>;
  const Real not_finite = dtype == DType::f8e4m3 ? Limits::quiet_NaN() : Limits::infinity();
  std::vector<Real> values;
  constexpr std::int64_t taps = kernel_rows * kernel_columns;
  for (std::int64_t i = 0; i < groups * out_channels * in_channels * taps; ++i) {
    const std::int64_t channel = is_transposed ? i / taps : i / taps / in_channels;
    values.push_back(channel % 2 == 0 && i % 3 == 0 ? not_finite : static_cast<Real>(i % 5) - 2);
  }
  return reference::make_elements(dtype, values);
}

/// A library that multiplies padding can give NaN for every element of a channel with an infinite weight. The kernel computes
/// those again and leaves other channels alone.
void test_fix_padding(DType dtype, bool is_transposed) {
  std::vector<Real> pixels;
  for (std::int64_t i = 0; i < batch * groups * in_channels * in_rows * in_columns; ++i)
    pixels.push_back(static_cast<Real>(i % 3) + 1);
  const Tensor x = upload(reference::make_elements(dtype, pixels))
                       .reshape({batch, groups * in_channels, in_rows, in_columns});
  const Tensor weight =
      upload(weights_of(dtype, is_transposed))
          .reshape(is_transposed ? Shape{groups * in_channels, out_channels, kernel_rows, kernel_columns}
                                 : Shape{groups * out_channels, in_channels, kernel_rows, kernel_columns});
  const Tensor correct = (is_transposed ? conv_transpose2d : conv2d)(x, weight, window, {});
  const Elements wanted = download(correct);
  const std::int64_t plane = correct.shape()[2] * correct.shape()[3];
  std::vector<Real> spoilt;
  for (std::int64_t i = 0; i < wanted.count(); ++i) {
    const bool has_infinite_weights = i / plane % 2 == 0;
    spoilt.push_back(has_infinite_weights && i % 4 != 1 ? std::numeric_limits<Real>::quiet_NaN()
                                                        : reference::real_at(wanted, i));
  }
  const Tensor y = upload(reference::make_elements(dtype, spoilt)).reshape(correct.shape());

  const std::string name = "kg_conv2d_" + std::string(name_of(dtype)) + "_fix_padding";
  const struct {
    const void *x, *weight;
    void* y;
    kg::ConvShape shape;
  } arguments{x.data(), weight.data(), y.data(), shape_of(correct.shape(), is_transposed)};
  const std::uint32_t threads = device().kind() == DeviceKind::cpu ? 1 : kg::block_threads;
  device().launch(device().kernel(device().find_kernel(name)),
                  {.grid = {groups * out_channels, 1, 1}, .block = {threads, 1, 1}},
                  std::as_bytes(std::span(&arguments, 1)));
  expect_same_values(name, download(y), wanted);
}

}  // namespace

void register_fix_padding_tests() {
  for (const DType dtype : float_dtypes)
    for (const bool is_transposed : {false, true})
      register_test(is_transposed ? "fix_padding_transposed" : "fix_padding", std::string(name_of(dtype)),
                    [dtype, is_transposed] { test_fix_padding(dtype, is_transposed); });
}

}  // namespace kernelgen::conformance
