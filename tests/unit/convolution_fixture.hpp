#pragma once
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "kernelgen/ops/image.hpp"
#include "matrix_fixture.hpp"
#include "plan/image.hpp"

namespace kernelgen::test {

inline constexpr std::uint32_t conv_bytes = 3 * sizeof(void*) + sizeof(kg::ConvShape);
inline constexpr std::string_view conv_inputs[] = {"x", "weight"};
inline constexpr SampleForm conv_forms[] = {{"direct", conv_bytes},
                                            {"fix_padding", conv_bytes},
                                            {"implicit_gemm_small", conv_bytes},
                                            {"implicit_gemm", conv_bytes},
                                            {"col2im", conv_bytes - sizeof(void*)}},
                            conv_add_forms[] = {{"contiguous", 32}, {"strided", 24 + sizeof(kg::Strided<3>)}};
inline constexpr SampleOperation conv_operations[] = {{"conv2d", conv_inputs, conv_forms},
                                                      {"copy", matrix_copy_inputs, matrix_copy_forms},
                                                      {"add", matrix_inputs, conv_add_forms},
                                                      {"matmul", matrix_inputs, matrix_forms}};

/// Convolutions on the device of a stub driver, which a test opens. It has one compute unit, so that few convolutions are small.
class ConvolutionTest : public testing::Test {
 protected:
  ConvolutionTest(const char* driver, const char* name)
      : gpu(stub_state<StubGpu>(driver, "stub_gpu")), bytes(gpu_package(name, code, conv_operations)) {}

  template <class T>
  Tensor numbers(const Shape& shape) const {
    std::vector<T> values(static_cast<std::size_t>(Layout::contiguous(shape).elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(static_cast<int>(i * 7 % 13) - 6);
    return Tensor::from_host(device, std::as_bytes(std::span(values)), shape,
                             sizeof(T) == 4 ? DType::f32 : DType::f64);
  }

  /// What each output of conv2d, or of conv_transpose2d, shall be: the numbers are small integers, every order of sums is
  /// exact.
  template <class T>
  static std::vector<T> sums(const Tensor& x, const Tensor& weight, const Window2& window, const Tensor& y,
                             bool transposed) {
    const Shape &image = x.shape(), &step = x.layout().strides, &kernel = weight.shape(), &shape = y.shape();
    const auto* const from = static_cast<const T*>(x.data());
    const auto* const factors = static_cast<const T*>(weight.data());
    const std::int64_t ins = image[1] / window.groups, outs = shape[1] / window.groups;
    std::vector<T> result(static_cast<std::size_t>(y.elements()));
    const auto add = [&](std::int64_t n, std::int64_t g, std::int64_t in, std::int64_t out, std::int64_t r,
                         std::int64_t s, std::int64_t in_row, std::int64_t in_column, std::int64_t row,
                         std::int64_t column) {
      if (in_row < 0 || in_row >= image[2] || in_column < 0 || in_column >= image[3]) return;
      if (row < 0 || row >= shape[2] || column < 0 || column >= shape[3]) return;
      const std::int64_t first = transposed ? g * ins + in : g * outs + out, second = transposed ? out : in;
      const T factor = factors[((first * kernel[1] + second) * kernel[2] + r) * kernel[3] + s];
      const std::int64_t place = ((n * shape[1] + g * outs + out) * shape[2] + row) * shape[3] + column;
      result[static_cast<std::size_t>(place)] +=
          factor * from[n * step[0] + (g * ins + in) * step[1] + in_row * step[2] + in_column * step[3]];
    };
    const Shape& walked = transposed ? image : shape;
    for (std::int64_t n = 0; n < image[0]; ++n)
      for (std::int64_t g = 0; g < window.groups; ++g)
        for (std::int64_t in = 0; in < ins; ++in)
          for (std::int64_t out = 0; out < outs; ++out)
            for (std::int64_t r = 0; r < kernel[2]; ++r)
              for (std::int64_t s = 0; s < kernel[3]; ++s)
                for (std::int64_t h = 0; h < walked[2]; ++h)
                  for (std::int64_t w = 0; w < walked[3]; ++w) {
                    const std::int64_t row =
                        h * window.stride.height - window.padding.height + r * window.dilation.height;
                    const std::int64_t column =
                        w * window.stride.width - window.padding.width + s * window.dilation.width;
                    if (transposed)
                      add(n, g, in, out, r, s, h, w, row, column);
                    else
                      add(n, g, in, out, r, s, row, column, h, w);
                  }
    return result;
  }

  template <class T>
  static void expect_sums(const Tensor& x, const Tensor& weight, const Window2& window, const Tensor& y,
                          bool transposed = false) {
    const std::vector<T> expected = sums<T>(x, weight, window, y, transposed);
    const auto* const to = static_cast<const T*>(y.data());
    int wrong = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) wrong += to[i] != expected[i];
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(x.shape().size(), 4u);
  }

  /// Where there is padding, and only there, one launch of ours goes over the whole result.
  void expect_fix_padding(const Tensor& x, const Tensor& weight, const Window2& window,
                          const Tensor& y) const {
    const bool has_padding = window.padding.height != 0 || window.padding.width != 0;
    ASSERT_EQ(gpu.launches.size(), has_padding ? 1u : 0u);
    if (!has_padding) return;
    const std::vector<std::byte>& arguments = gpu.launches[0].arguments;
    const void* pointers[3];
    kg::ConvShape shape;
    ASSERT_EQ(arguments.size(), sizeof pointers + sizeof shape);
    std::memcpy(pointers, arguments.data(), sizeof pointers);
    std::memcpy(&shape, arguments.data() + sizeof pointers, sizeof shape);
    EXPECT_EQ(pointers[0], x.data());
    EXPECT_EQ(pointers[1], weight.data());
    EXPECT_EQ(pointers[2], y.data());
    EXPECT_EQ(shape.batch, y.shape()[0]);
    EXPECT_EQ(shape.rows.extent, y.shape()[2]);
    EXPECT_EQ(shape.columns.extent, y.shape()[3]);
    EXPECT_EQ(shape.row_padding, window.padding.height);
    EXPECT_EQ(shape.column_padding, window.padding.width);
  }

  /// Of a result of conv_transpose2d.
  void expect_fix_padding_transposed(const Tensor& weight, const Window2& window, const Tensor& y) const {
    // Whatever the stride, one launch of ours goes over the whole result.
    ASSERT_EQ(gpu.launches.size(), 1u);
    EXPECT_EQ(gpu.launches[0].function, "conv2d_fix_padding");
    kg::ConvShape shape;
    const void* pointers[3];
    ASSERT_EQ(gpu.launches[0].arguments.size(), sizeof pointers + sizeof shape);
    std::memcpy(pointers, gpu.launches[0].arguments.data(), sizeof pointers);
    std::memcpy(&shape, gpu.launches[0].arguments.data() + sizeof pointers, sizeof shape);
    EXPECT_EQ(pointers[1], weight.data());
    EXPECT_EQ(shape.rows.extent, y.shape()[2]);
    EXPECT_EQ(shape.columns.extent, y.shape()[3]);
    EXPECT_EQ(shape.row_spacing.extent, window.stride.height);
    EXPECT_EQ(shape.column_spacing.extent, window.stride.width);
    EXPECT_EQ(shape.row_padding, -window.padding.height);
    EXPECT_EQ(shape.column_dilation, -window.dilation.width);
    EXPECT_EQ(shape.y_row, y.shape()[3]);
    EXPECT_EQ(shape.y_column, 1);
  }

  StubGpu& gpu;
  const std::vector<std::byte> code = amd_code_object(4), bytes;
  const Package package = Package::from_memory(bytes);
  Device device;
};

}  // namespace kernelgen::test
