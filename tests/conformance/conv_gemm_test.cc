// Convolutions by a matrix product and col2im, which the walk takes only where a convolution library measures them.
#include <gtest/gtest.h>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "kernelgen/ops/image.hpp"
#include "ops/own_convolution.hpp"
#include "reference/element.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

constexpr std::int64_t batch = 2, in_channels = 9, in_rows = 7, in_columns = 6, kernel_rows = 3,
                       kernel_columns = 2;

/// Small integers, whose sums are exact.
Tensor integers(DType dtype, const Shape& shape) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < Layout::contiguous(shape).elements(); ++i)
    values.push_back(static_cast<Real>(i * 7 % 5) - 2);
  return upload(reference::make_elements(dtype, values)).reshape(shape);
}

/// The same values as by the kernels that the walk takes.
void test_conv_gemm(DType dtype, bool is_transposed, const Window2& window, std::int64_t out_channels) {
  const std::int64_t groups = window.groups;
  const Tensor x = integers(dtype, {batch, groups * in_channels, in_rows, in_columns});
  const Tensor weight =
      integers(dtype, is_transposed ? Shape{groups * in_channels, out_channels, kernel_rows, kernel_columns}
                                    : Shape{groups * out_channels, in_channels, kernel_rows, kernel_columns});
  const Tensor wanted = (is_transposed ? conv_transpose2d : conv2d)(x, weight, window, {});
  const auto axis = [](std::int64_t in, std::int64_t kernel, std::int64_t out, std::int64_t Size2::* member,
                       const Window2& w) {
    return ConvAxis{
        in, kernel, w.stride.*member, w.padding.*member, w.dilation.*member, w.output_padding.*member, out};
  };
  const ConvProblem problem{"conv2d",
                            is_transposed,
                            batch,
                            groups,
                            in_channels,
                            out_channels,
                            axis(in_rows, kernel_rows, wanted.shape()[2], &Size2::height, window),
                            axis(in_columns, kernel_columns, wanted.shape()[3], &Size2::width, window)};
  const Tensor y = Tensor::empty(device(), wanted.shape(), dtype);
  const Operation operation = Operation::builtin(device(), Builtin::conv2d);
  const Stream stream;
  const OwnConvolution own(problem, x, weight, y, operation, stream);
  ASSERT_TRUE(own.has(CallerAlgorithm::gemm));
  own.convolve(CallerAlgorithm::gemm);
  expect_same_values("conv2d by gemm", download(y), download(wanted));
}

}  // namespace

void register_conv_gemm_tests() {
  for (const DType dtype : float_dtypes) {
    register_test("conv_gemm", std::string(name_of(dtype)), [dtype] {
      test_conv_gemm(dtype, false, {}, 3);
      test_conv_gemm(dtype, false, {{2, 1}, {2, 1}, {1, 2}, {}, 2}, 1);
    });
    register_test("conv_gemm_transposed", std::string(name_of(dtype)), [dtype] {
      test_conv_gemm(dtype, true, {}, 2);
      test_conv_gemm(dtype, true, {{3, 2}, {1, 0}, {2, 1}, {1, 1}, 2}, 3);
    });
  }
}

}  // namespace kernelgen::conformance
