// Convolutions on a CUDA device through a stub of cuDNN: what the library is told, what is left to our kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "kernelgen/ops/image.hpp"
#include "plan/image.hpp"
#include "stub_gpu/stub_cudnn.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/operation_package.hpp"
#include "support/stub_state.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubCudnn;
using test::StubGpu;

constexpr const char* variable = "KERNELGEN_CUDNN_LIBRARY";
constexpr std::uint32_t conv_bytes = 3 * sizeof(void*) + sizeof(kg::ConvShape);
constexpr std::string_view inputs[] = {"x", "weight"}, copy_inputs[] = {"x"};
constexpr test::SampleForm forms[] = {{"direct", conv_bytes},
                                      {"repair", conv_bytes},
                                      {"narrow", conv_bytes},
                                      {"wide", conv_bytes}},
                           copy_forms[] = {{"contiguous", 24},
                                           {"strided", 16 + sizeof(kg::Strided<1>)},
                                           {"tiled", 16 + sizeof(kg::Tiles<1>)}};
constexpr test::SampleOperation operations[] = {{"conv2d", inputs, forms}, {"copy", copy_inputs, copy_forms}};

class CudnnTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    ::setenv(variable, KERNELGEN_STUB_CUDNN, 1);
    gpu = StubGpu();
    library = StubCudnn();
    library.current_context = &gpu.current;
    device = Device::open("cuda:0", package);
  }

  template <class T>
  Tensor numbers(const Shape& shape) const {
    std::vector<T> values(static_cast<std::size_t>(Layout::contiguous(shape).elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<T>(static_cast<int>(i * 7 % 13) - 6);
    return Tensor::from_host(device, std::as_bytes(std::span(values)), shape,
                             sizeof(T) == 4 ? DType::f32 : DType::f64);
  }

  /// Every output, exactly: the numbers are small integers.
  template <class T>
  static void expect_sums(const Tensor& x, const Tensor& weight, const Window2& window, const Tensor& y) {
    const Shape &image = x.shape(), &kernel = weight.shape(), &result = y.shape(), &step = x.layout().strides;
    const auto* from = static_cast<const T*>(x.data());
    const auto* factors = static_cast<const T*>(weight.data());
    const auto* to = static_cast<const T*>(y.data());
    const std::int64_t group = kernel[0] / window.groups;
    int wrong = 0;
    for (std::int64_t i = 0; i < y.elements(); ++i) {
      const std::int64_t w = i % result[3], h = i / result[3] % result[2],
                         k = i / result[3] / result[2] % result[1], n = i / result[3] / result[2] / result[1];
      T sum = 0;
      for (std::int64_t c = 0; c < kernel[1]; ++c)
        for (std::int64_t r = 0; r < kernel[2]; ++r)
          for (std::int64_t s = 0; s < kernel[3]; ++s) {
            const std::int64_t row =
                h * window.stride.height - window.padding.height + r * window.dilation.height;
            const std::int64_t column =
                w * window.stride.width - window.padding.width + s * window.dilation.width;
            if (row < 0 || row >= image[2] || column < 0 || column >= image[3]) continue;
            sum +=
                from[n * step[0] + (k / group * kernel[1] + c) * step[1] + row * step[2] + column * step[3]] *
                factors[((k * kernel[1] + c) * kernel[2] + r) * kernel[3] + s];
          }
      wrong += to[i] != sum;
    }
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(image.size(), 4u);
  }

  /// Where there is padding, and only there, one launch of ours goes over the whole result.
  void expect_repair(const Tensor& x, const Tensor& weight, const Window2& window, const Tensor& y) const {
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

  template <class T>
  void check(const Tensor& x, const Shape& kernel, const Window2& window) {
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor weight = numbers<T>(kernel);
    const Tensor y = conv2d(x, weight, window);
    ASSERT_EQ(library.convolutions.size(), 1u);
    expect_sums<T>(x, weight, window, y);
    expect_repair(x, weight, window, y);
  }

  StubGpu& gpu = test::stub_state<StubGpu>(KERNELGEN_STUB_CUDA, "stub_gpu");
  StubCudnn& library = test::stub_state<StubCudnn>(KERNELGEN_STUB_CUDNN, "stub_cudnn");
  const std::vector<std::byte> bytes =
      test::operation_package({"sm_90", 2, 32, test::bytes_of("cubin")}, operations);
  const Package package = Package::from_memory(bytes);
  Device device;
};

TEST_F(CudnnTest, ConvolvesAndLeavesToUsWhatPaddingSpoils) {
  check<float>(numbers<float>({2, 16, 30, 30}), {16, 16, 3, 3}, {});
  EXPECT_TRUE(gpu.launches.empty());
  check<double>(numbers<double>({2, 16, 30, 30}), {16, 16, 3, 3}, {});
  check<float>(numbers<float>({2, 16, 30, 34}), {16, 16, 3, 3}, {.padding = {1, 1}});
  check<double>(numbers<double>({2, 16, 30, 34}), {16, 16, 3, 3}, {.padding = {1, 1}});
  check<float>(numbers<float>({1, 24, 70, 61}), {24, 12, 3, 2},
               {.stride = {2, 1}, .padding = {2, 1}, .dilation = {2, 3}, .groups = 2});
  check<float>(numbers<float>({3, 16, 41, 64}), {32, 16, 1, 5}, {.stride = {3, 2}, .padding = {0, 2}});
  check<float>(numbers<float>({8, 64, 7, 7}), {64, 64, 3, 3}, {.padding = {1, 1}});
}

TEST_F(CudnnTest, IsToldTheProblem) {
  const Tensor x = numbers<float>({2, 24, 40, 30}), weight = numbers<float>({48, 12, 3, 2});
  conv2d(x, weight, {.stride = {2, 1}, .padding = {1, 0}, .dilation = {3, 2}, .groups = 2});
  ASSERT_EQ(library.convolutions.size(), 1u);
  const StubCudnn::Convolution& c = library.convolutions[0];
  EXPECT_EQ(c.x.shape, (std::array{2, 24, 40, 30}));
  EXPECT_EQ(c.x.strides, (std::array{24 * 1200, 1200, 30, 1}));
  EXPECT_EQ(c.filter.shape, (std::array{48, 12, 3, 2}));
  EXPECT_EQ(c.filter.format, 0);
  EXPECT_EQ(c.y.shape, (std::array{2, 48, 18, 28}));
  EXPECT_EQ(c.y.strides, (std::array{48 * 504, 504, 28, 1}));
  EXPECT_EQ(c.description.padding, (std::array{1, 0}));
  EXPECT_EQ(c.description.stride, (std::array{2, 1}));
  EXPECT_EQ(c.description.dilation, (std::array{3, 2}));
  EXPECT_EQ(c.description.groups, 2);
  EXPECT_EQ(c.description.mode, 1);
}

TEST_F(CudnnTest, AsksForTypesOfFullPrecision) {
  struct Case {
    DType dtype;
    int data, compute, math;
  };
  // CUDNN_DATA_HALF, _BFLOAT16, _FLOAT, _DOUBLE; for f32 CUDNN_FMA_MATH, which is without TF32.
  for (const Case& c : {Case{DType::f16, 2, 0, 1}, Case{DType::bf16, 9, 0, 1}, Case{DType::f32, 0, 0, 3},
                        Case{DType::f64, 1, 1, 0}}) {
    conv2d(Tensor::zeros(device, {2, 16, 32, 32}, c.dtype), Tensor::zeros(device, {16, 16, 3, 3}, c.dtype));
    ASSERT_FALSE(library.convolutions.empty()) << name_of(c.dtype);
    const StubCudnn::Convolution& convolution = library.convolutions.back();
    EXPECT_EQ(convolution.x.type, c.data) << name_of(c.dtype);
    EXPECT_EQ(convolution.y.type, c.data) << name_of(c.dtype);
    EXPECT_EQ(convolution.filter.type, c.data) << name_of(c.dtype);
    EXPECT_EQ(convolution.description.compute, c.compute) << name_of(c.dtype);
    EXPECT_EQ(convolution.description.math, c.math) << name_of(c.dtype);
  }
}

TEST_F(CudnnTest, TakesStridesOfImages) {
  const Tensor wide = numbers<float>({2, 20, 34, 48});
  const Tensor x = wide.narrow(1, 4, 16).narrow(2, 2, 30).narrow(3, 8, 30);
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 16, 0u);
  check<float>(x, {16, 16, 3, 3}, {});
  EXPECT_EQ(library.convolutions[0].x.strides, (std::array{20 * 34 * 48, 34 * 48, 48, 1}));
  EXPECT_TRUE(gpu.launches.empty());
  // Other layouts are copied first, and those that our kernels read too.
  const auto expect_copied = [&](const Tensor& view, const Window2& window, std::size_t launches) {
    gpu.launches.clear();
    const Shape& shape = view.shape();
    conv2d(view, numbers<float>({16, shape[1], 3, 3}), window);
    const auto height = static_cast<int>(shape[2]), width = static_cast<int>(shape[3]);
    EXPECT_EQ(library.convolutions.back().x.strides,
              (std::array{static_cast<int>(shape[1]) * height * width, height * width, width, 1}));
    EXPECT_EQ(gpu.launches.size(), launches);
  };
  expect_copied(wide.transpose(2, 3), {}, 1);
  expect_copied(numbers<float>({2, 16, 1, 32}).broadcast_to({2, 16, 32, 32}), {}, 1);
  expect_copied(x, {.padding = {1, 1}}, 2);
  EXPECT_EQ(library.convolutions.size(), 4u);
}

TEST_F(CudnnTest, SignalsAreImagesOfOneRow) {
  const Tensor x = numbers<float>({2, 64, 300}), weight = numbers<float>({64, 64, 3});
  const Window1 window{.stride = 2, .padding = 1};
  const Tensor y = conv1d(x, weight, window);
  ASSERT_EQ(library.convolutions.size(), 1u);
  EXPECT_EQ(library.convolutions[0].x.shape, (std::array{2, 64, 1, 300}));
  EXPECT_EQ(library.convolutions[0].x.strides, (std::array{64 * 300, 300, 300, 1}));
  const Window2 of_one_row{.stride = {1, 2}, .padding = {0, 1}};
  const auto image = [](const Tensor& signal) { return signal.unsqueeze(2); };
  expect_sums<float>(image(x), image(weight), of_one_row, image(y));
  expect_repair(image(x), image(weight), of_one_row, image(y));
}

TEST_F(CudnnTest, LeavesTheRestToOurKernels) {
  const auto is_ours = [&](const Shape& image, const Shape& kernel, const Window2& window = {},
                           DType dtype = DType::f32) {
    gpu.launches.clear();
    conv2d(Tensor::zeros(device, image, dtype), Tensor::zeros(device, kernel, dtype), window);
    return library.convolutions.empty() && gpu.launches.size() == 1;
  };
  EXPECT_TRUE(is_ours({1, 8, 20, 20}, {8, 8, 3, 3}));                    // small
  EXPECT_TRUE(is_ours({8, 64, 40, 40}, {64, 1, 5, 5}, {.groups = 64}));  // a channel a group
  EXPECT_TRUE(is_ours({2, 16, 64, 64}, {16, 16, 3, 3}, {}, DType::f8e4m3));
  gpu.launches.clear();
  conv_transpose2d(Tensor::zeros(device, {2, 16, 64, 64}, DType::f32),
                   Tensor::zeros(device, {16, 16, 3, 3}, DType::f32));
  EXPECT_TRUE(library.calls.empty());
}

TEST_F(CudnnTest, WithoutAnAlgorithmOurKernelsDoIt) {
  std::int64_t columns = 32;
  const auto is_ours = [&] {
    gpu.launches.clear();
    library.convolutions.clear();
    const Shape image{2, 16, 32, ++columns};  // a problem not seen before
    conv2d(Tensor::zeros(device, image, DType::f32), Tensor::zeros(device, {16, 16, 3, 3}, DType::f32));
    return library.convolutions.empty() && gpu.launches.size() == 1;
  };
  EXPECT_FALSE(is_ours());
  library.choices = {};
  EXPECT_TRUE(is_ours());
  library.choices = {{6, 0, 0, 0}, {7, 0, 0, 0}, {4, 0, 0, 0}, {5, 0, 0, 0}};  // Winograd, FFT
  EXPECT_TRUE(is_ours());
  library.choices = {{1, 0, 1, 0}, {0, 0, 2, 0}};  // TF32
  EXPECT_TRUE(is_ours());
  library.choices = {{1, 3000, 0, 0}, {0, 0, 0, std::size_t{1} << 30}};
  EXPECT_TRUE(is_ours());
  library.choices = {{1, 0, 3, 0}};
  EXPECT_FALSE(is_ours());
  for (const char* function : {"cudnnGetConvolutionForwardAlgorithm_v7", "cudnnConvolutionForward",
                               "cudnnSetTensor4dDescriptorEx", "cudnnGetConvolutionForwardWorkspaceSize"}) {
    library.failures = {{function, 3007}};
    EXPECT_TRUE(is_ours()) << function;
  }
}

TEST_F(CudnnTest, TakesTheFirstAlgorithmThatMayBeUsed) {
  library.choices = {{6, 0, 0, 0}, {1, 0, 1, 64}, {0, 0, 3, 4096}, {2, 0, 3, 0}};
  const Tensor x = numbers<float>({2, 16, 32, 32});
  const Stream stream = device.new_stream();
  constexpr std::uintptr_t foreign = 0x999;
  gpu.current = foreign;
  gpu.calls.clear();
  const Tensor weight = numbers<float>({16, 16, 3, 3});
  const Tensor out = Tensor::empty(device, {2, 16, 30, 30}, DType::f32);
  gpu.calls.clear();
  for (int i = 0; i < 2; ++i) conv2d(x, weight, {}, {.stream = stream, .out = &out});
  ASSERT_EQ(library.convolutions.size(), 2u);
  for (const StubCudnn::Convolution& convolution : library.convolutions) {
    EXPECT_EQ(convolution.algorithm, 0);
    EXPECT_NE(convolution.workspace, nullptr);
    EXPECT_EQ(convolution.workspace_bytes, 4096u);
    EXPECT_EQ(convolution.stream, stream.native());
    EXPECT_EQ(convolution.context, 0x100u);
  }
  EXPECT_EQ(gpu.current, foreign);
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemAllocAsync"), 2);
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemFreeAsync"), 2);
  // Chosen once for a problem.
  const auto questions = [&] {
    return std::count(library.calls.begin(), library.calls.end(), "cudnnGetConvolutionForwardAlgorithm_v7");
  };
  EXPECT_EQ(questions(), 1);
  conv2d(x, weight, {.dilation = {2, 1}});
  EXPECT_EQ(questions(), 2);
}

TEST_F(CudnnTest, MemoryOffItsAlignmentIsOurs) {
  const Tensor storage = numbers<float>({2 * 16 * 32 * 32 + 1});
  const Tensor x = storage.narrow(0, 1, 2 * 16 * 32 * 32).reshape({2, 16, 32, 32});
  conv2d(x, numbers<float>({16, 16, 3, 3}));
  EXPECT_TRUE(library.convolutions.empty());
  EXPECT_EQ(gpu.launches.size(), 1u);
}

TEST_F(CudnnTest, NamesWhatFailed) {
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  library.failures = {{"cudnnConvolutionForward", 5000}};
  expect_error(Code::device,
               {"conv2d: ", KERNELGEN_STUB_CUDNN, "cudnnConvolutionForward ", "status 5000",
                "CUDNN_STATUS_EXECUTION_FAILED"},
               [&] { conv2d(x, weight); });
  library.failures = {{"cudnnSetConvolutionGroupCount", 2000}};
  expect_error(Code::device, {"cudnnSetConvolutionGroupCount", "status 2000"},
               [&] { conv2d(x, weight, {.dilation = {2, 2}}); });
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_F(CudnnTest, LeavesNothingBehind) {
  {
    const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
    conv2d(x, weight);
    EXPECT_GT(library.objects, 0);
  }
  device = Device();
  EXPECT_EQ(library.objects, 0);
}

TEST_F(CudnnTest, TheEnvironmentNamesTheLibrary) {
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  ::setenv(variable, "/no/such/cudnn.so", 1);
  expect_error(Code::unsupported, {"cuDNN", variable, "/no/such/cudnn.so"}, [&] { conv2d(x, weight); });
  ::setenv(variable, KERNELGEN_STUB_CUDNN, 1);
  library.failures = {{"cudnnCreate", 1001}};
  expect_error(Code::device, {"cudnnCreate", "status 1001"}, [&] { conv2d(x, weight); });
  EXPECT_TRUE(gpu.launches.empty());
  ::setenv(variable, "none", 1);
  conv2d(x, weight);
  EXPECT_EQ(gpu.launches.size(), 1u);
  EXPECT_TRUE(library.convolutions.empty());
}

}  // namespace
}  // namespace kernelgen
