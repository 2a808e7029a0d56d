// Convolutions on a CUDA device through a stub of cuDNN: what the library is told, what is left to our kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>

#include "kernelgen/ops/image.hpp"
#include "plan/image.hpp"
#include "stub_gpu/stub_cublaslt.hpp"
#include "stub_gpu/stub_cudnn.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/operation_package.hpp"
#include "support/stub_state.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubCublasLt;
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
    ::setenv("KERNELGEN_CUBLASLT_LIBRARY", KERNELGEN_STUB_CUBLASLT, 1);
    ::setenv(variable, KERNELGEN_STUB_CUDNN, 1);
    gpu = StubGpu();
    gpu.is_capturing = true;  // what is best is not measured
    products = StubCublasLt();
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
  void check_transposed(const Tensor& x, const Shape& kernel, const Window2& window) {
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor weight = numbers<T>(kernel);
    const Tensor y = conv_transpose2d(x, weight, window);
    ASSERT_EQ(library.convolutions.size(), 1u);
    EXPECT_TRUE(library.convolutions[0].by_data);
    expect_sums<T>(x, weight, window, y, true);
    // Our kernel has the weights as a plain convolution does.
    ASSERT_EQ(gpu.launches.size(), 2u);
    EXPECT_TRUE(gpu.launches[0].function.starts_with("copy_"));
    EXPECT_EQ(gpu.launches[1].function, "conv2d_repair");
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
  StubCublasLt& products = test::stub_state<StubCublasLt>(KERNELGEN_STUB_CUBLASLT, "stub_cublaslt");
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

TEST_F(CudnnTest, TakesFewChannelsToo) {
  check<float>(numbers<float>({9, 32, 20, 17}), {1, 32, 3, 3}, {.stride = {3, 3}, .padding = {2, 0}});
  check<float>(numbers<float>({8, 8, 4, 60}), {2, 8, 3, 1}, {});
  check<float>(numbers<float>({8, 32, 20, 20}), {32, 1, 5, 5}, {.groups = 32});
}

TEST_F(CudnnTest, TransposedConvolutionsAreDerivativesByData) {
  check_transposed<float>(numbers<float>({2, 16, 20, 18}), {16, 12, 3, 3}, {.padding = {1, 0}});
  check_transposed<double>(numbers<double>({2, 16, 20, 18}), {16, 12, 3, 3}, {});
  check_transposed<float>(numbers<float>({5, 16, 8, 9}), {16, 3, 3, 2},
                          {.padding = {0, 1}, .dilation = {2, 3}, .groups = 4});
  check_transposed<float>(numbers<float>({2, 40, 1, 100}), {40, 2, 1, 5}, {.padding = {0, 4}});
}

TEST_F(CudnnTest, IsToldTheTransposedProblem) {
  const Tensor x = numbers<float>({2, 24, 20, 15}), weight = numbers<float>({24, 6, 3, 2});
  const Tensor y = conv_transpose2d(x, weight, {.padding = {1, 0}, .dilation = {3, 2}, .groups = 2});
  EXPECT_EQ(y.shape(), (Shape{2, 12, 24, 17}));
  ASSERT_EQ(library.convolutions.size(), 1u);
  const StubCudnn::Convolution& c = library.convolutions[0];
  EXPECT_TRUE(c.by_data);
  EXPECT_EQ(c.y.shape, (std::array<std::int64_t, 4>{2, 24, 20, 15}));
  EXPECT_EQ(c.y.strides, (std::array<std::int64_t, 4>{24 * 300, 300, 15, 1}));
  EXPECT_EQ(c.filter.shape, (std::array<std::int64_t, 4>{24, 6, 3, 2}));
  EXPECT_EQ(c.filter.strides, (std::array<std::int64_t, 4>{36, 6, 2, 1}));
  EXPECT_EQ(c.x.shape, (std::array<std::int64_t, 4>{2, 12, 24, 17}));
  EXPECT_EQ(c.x.strides, (std::array<std::int64_t, 4>{12 * 408, 408, 17, 1}));
  EXPECT_EQ(c.padding, (std::array<std::int64_t, 2>{1, 0}));
  EXPECT_EQ(c.stride, (std::array<std::int64_t, 2>{1, 1}));
  EXPECT_EQ(c.dilation, (std::array<std::int64_t, 2>{3, 2}));
}

TEST_F(CudnnTest, TransposedConvolutionsOfPhasesAreOurs) {
  const Tensor x = numbers<float>({2, 16, 20, 20}), weight = numbers<float>({16, 16, 3, 3});
  conv_transpose2d(x, weight, {.stride = {2, 1}});
  conv_transpose2d(x, weight, {.stride = {1, 2}});
  conv_transpose2d(x, weight, {.output_padding = {1, 0}});
  EXPECT_TRUE(library.convolutions.empty());
  conv_transpose2d(x, weight);
  EXPECT_EQ(library.convolutions.size(), 1u);
}

TEST_F(CudnnTest, IsToldTheProblem) {
  const Tensor x = numbers<float>({2, 24, 40, 30}), weight = numbers<float>({48, 12, 3, 2});
  conv2d(x, weight, {.stride = {2, 1}, .padding = {1, 0}, .dilation = {3, 2}, .groups = 2});
  ASSERT_EQ(library.convolutions.size(), 1u);
  const StubCudnn::Convolution& c = library.convolutions[0];
  EXPECT_FALSE(c.by_data);
  EXPECT_EQ(c.x.shape, (std::array<std::int64_t, 4>{2, 24, 40, 30}));
  EXPECT_EQ(c.x.strides, (std::array<std::int64_t, 4>{24 * 1200, 1200, 30, 1}));
  EXPECT_EQ(c.filter.shape, (std::array<std::int64_t, 4>{48, 12, 3, 2}));
  EXPECT_EQ(c.filter.strides, (std::array<std::int64_t, 4>{72, 6, 2, 1}));
  EXPECT_EQ(c.y.shape, (std::array<std::int64_t, 4>{2, 48, 18, 28}));
  EXPECT_EQ(c.y.strides, (std::array<std::int64_t, 4>{48 * 504, 504, 28, 1}));
  for (const StubCudnn::Tensor& tensor : {c.x, c.filter, c.y}) EXPECT_EQ(tensor.alignment, 16);
  EXPECT_EQ(c.padding, (std::array<std::int64_t, 2>{1, 0}));
  EXPECT_EQ(c.stride, (std::array<std::int64_t, 2>{2, 1}));
  EXPECT_EQ(c.dilation, (std::array<std::int64_t, 2>{3, 2}));
  EXPECT_EQ(c.mode, 1);
}

TEST_F(CudnnTest, AsksForTypesOfFullPrecision) {
  struct Case {
    DType dtype;
    int data, compute;
  };
  // CUDNN_DATA_HALF, _BFLOAT16, _FLOAT, _DOUBLE.
  for (const Case& c :
       {Case{DType::f16, 2, 0}, Case{DType::bf16, 9, 0}, Case{DType::f32, 0, 0}, Case{DType::f64, 1, 1}}) {
    conv2d(Tensor::zeros(device, {2, 16, 32, 32}, c.dtype), Tensor::zeros(device, {16, 16, 3, 3}, c.dtype));
    ASSERT_FALSE(library.convolutions.empty()) << name_of(c.dtype);
    const StubCudnn::Convolution& convolution = library.convolutions.back();
    for (const StubCudnn::Tensor& tensor : {convolution.x, convolution.y, convolution.filter})
      EXPECT_EQ(tensor.type, c.data) << name_of(c.dtype);
    EXPECT_EQ(convolution.compute, c.compute) << name_of(c.dtype);
  }
}

TEST_F(CudnnTest, TakesStridesOfImages) {
  const Tensor wide = numbers<float>({2, 20, 34, 48});
  const Tensor x = wide.narrow(1, 4, 16).narrow(2, 2, 30).narrow(3, 8, 30);
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(x.data()) % 16, 0u);
  check<float>(x, {16, 16, 3, 3}, {});
  EXPECT_EQ(library.convolutions[0].x.strides, (std::array<std::int64_t, 4>{20 * 34 * 48, 34 * 48, 48, 1}));
  EXPECT_TRUE(gpu.launches.empty());
  // Other layouts are copied first, and those that our kernels read too.
  const auto expect_copied = [&](const Tensor& view, const Window2& window, std::size_t launches) {
    gpu.launches.clear();
    const Shape& shape = view.shape();
    conv2d(view, numbers<float>({16, shape[1], 3, 3}), window);
    EXPECT_EQ(
        library.convolutions.back().x.strides,
        (std::array<std::int64_t, 4>{shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1}));
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
  EXPECT_EQ(library.convolutions[0].x.shape, (std::array<std::int64_t, 4>{2, 64, 1, 300}));
  EXPECT_EQ(library.convolutions[0].x.strides, (std::array<std::int64_t, 4>{64 * 300, 300, 300, 1}));
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
  EXPECT_TRUE(is_ours({1, 4, 8, 8}, {8, 4, 3, 3}));  // small
  EXPECT_TRUE(is_ours({2, 16, 64, 64}, {16, 16, 3, 3}, {}, DType::f8e4m3));
  EXPECT_TRUE(library.calls.empty());
}

TEST_F(CudnnTest, KernelsOfOneElementAreProducts) {
  const auto check_product = [&](const Tensor& x, const Shape& kernel, bool transposed, std::int64_t groups) {
    products.products.clear();
    const Tensor weight = numbers<float>(kernel);
    const Window2 window{.groups = groups};
    const Tensor y = transposed ? conv_transpose2d(x, weight, window) : conv2d(x, weight, window);
    ASSERT_EQ(products.products.size(), 1u);
    expect_sums<float>(x, weight, window, y, transposed);
  };
  check_product(numbers<float>({3, 20, 9, 11}), {8, 20, 1, 1}, false, 1);
  EXPECT_EQ(products.products[0].y.slices, 3);
  EXPECT_EQ(products.products[0].b.slice_stride, 0);
  EXPECT_EQ(products.products[0].a.slice_stride, 20 * 99);
  check_product(numbers<float>({3, 20, 9, 11}), {20, 8, 1, 1}, true, 1);
  check_product(numbers<float>({1, 20, 9, 11}), {8, 5, 1, 1}, false, 4);
  check_product(numbers<float>({1, 20, 9, 11}), {20, 2, 1, 1}, true, 4);
  // Every stride but that of pixels.
  check_product(numbers<float>({3, 24, 9, 11}).narrow(1, 2, 20), {8, 20, 1, 1}, false, 1);
  check_product(numbers<float>({3, 20, 12, 11}).narrow(2, 2, 9), {8, 20, 1, 1}, false, 1);
  EXPECT_TRUE(gpu.launches.empty());
  EXPECT_TRUE(library.convolutions.empty());
  const auto is_convolution = [&](const Tensor& x, const Window2& window) {
    products.products.clear();
    library.convolutions.clear();
    conv2d(x, numbers<float>({32, 32 / window.groups, 1, 1}), window);
    return products.products.empty() && library.convolutions.size() == 1;
  };
  const Tensor x = numbers<float>({2, 32, 18, 22});
  EXPECT_TRUE(is_convolution(x, {.stride = {2, 2}}));
  EXPECT_TRUE(is_convolution(x, {.padding = {0, 1}}));
  EXPECT_TRUE(is_convolution(x, {.groups = 2}));
  EXPECT_TRUE(is_convolution(numbers<float>({2, 32, 18, 25}).narrow(3, 2, 22), {}));
  products.has_algorithm = false;
  EXPECT_TRUE(is_convolution(numbers<float>({2, 32, 18, 23}), {}));
}

TEST_F(CudnnTest, WithoutAnEngineOurKernelsDoIt) {
  std::int64_t columns = 32;
  const auto is_ours = [&](DType dtype = DType::f32) {
    gpu.launches.clear();
    library.convolutions.clear();
    const Shape image{2, 16, 32, ++columns};  // a problem not seen before
    conv2d(Tensor::zeros(device, image, dtype), Tensor::zeros(device, {16, 16, 3, 3}, dtype));
    return library.convolutions.empty() && gpu.launches.size() == 1;
  };
  EXPECT_FALSE(is_ours());
  library.choices = {};
  EXPECT_TRUE(is_ours());
  // Inputs or sums of fewer digits, transforms, sums in no order, and what is not known.
  for (const int note : {1, 2, 3, 4, 5, 6, 7, 8, 10, 77}) {
    library.choices = {{1, {note}}, {2, {9, note}}};
    EXPECT_TRUE(is_ours(DType::f16)) << note;
  }
  library.choices = {{1, {0}}};  // tensor cores: TF32
  EXPECT_TRUE(is_ours());
  EXPECT_FALSE(is_ours(DType::f16));
  EXPECT_FALSE(is_ours(DType::f64));
  library.choices = {{1, {}, std::int64_t{1} << 30}, {2, {}, 0, 3000}, {3, {}, 0, 4001}};
  EXPECT_TRUE(is_ours());
  library.fallbacks = {{4, {9}}};
  EXPECT_FALSE(is_ours());
  EXPECT_EQ(library.convolutions[0].engine, 4);
  library.choices = {{1, {}, 0, 0, 3007}};
  EXPECT_TRUE(is_ours());
  library.choices = {{1, {}}};
  // The operation, its graph, the heuristic and the plan.
  for (const char* kind : {"10", "15", "4", "5"})
    for (const int status : {2000, 3007}) {
      library.failures = {{std::string("cudnnBackendFinalize ") + kind, status}};
      EXPECT_TRUE(is_ours()) << kind << " " << status;
    }
}

TEST_F(CudnnTest, WorksInTheCallersStreamAndContext) {
  library.choices = {{6, {5}}, {0, {0}}, {2, {}, 4096}, {3, {}}};
  const Tensor x = numbers<float>({2, 16, 32, 32});
  const Stream stream = device.new_stream();
  constexpr std::uintptr_t foreign = 0x999;
  gpu.current = foreign;
  const Tensor weight = numbers<float>({16, 16, 3, 3});
  const Tensor out = Tensor::empty(device, {2, 16, 30, 30}, DType::f32);
  gpu.calls.clear();
  for (int i = 0; i < 2; ++i) conv2d(x, weight, {}, {.stream = stream, .out = &out});
  ASSERT_EQ(library.convolutions.size(), 2u);
  for (const StubCudnn::Convolution& convolution : library.convolutions) {
    EXPECT_EQ(convolution.engine, 2);
    EXPECT_NE(convolution.workspace, nullptr);
    EXPECT_EQ(convolution.workspace_bytes, 4096u);
    EXPECT_EQ(convolution.stream, stream.native());
    EXPECT_EQ(convolution.context, 0x100u);
  }
  EXPECT_EQ(gpu.current, foreign);
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemAllocAsync"), 2);
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemFreeAsync"), 2);
}

TEST_F(CudnnTest, AsksOnceForAProblem) {
  const Tensor storage = numbers<float>({2 * 16 * 32 * 32 + 16}), weight = numbers<float>({16, 16, 3, 3});
  const auto image = [&](std::int64_t offset) {
    return storage.narrow(0, offset, 2 * 16 * 32 * 32).reshape({2, 16, 32, 32});
  };
  const auto asked = [&](const Tensor& x, const Window2& window = {}) {
    library.calls.clear();
    conv2d(x, weight, window);
    // An object for what is given to a known plan, many for a new one.
    return std::count(library.calls.begin(), library.calls.end(), "cudnnBackendCreateDescriptor") > 1;
  };
  EXPECT_TRUE(asked(image(0)));
  EXPECT_FALSE(asked(image(0)));
  EXPECT_FALSE(asked(image(16)));
  EXPECT_TRUE(asked(image(1)));
  EXPECT_EQ(library.convolutions.back().x.alignment, 4);
  EXPECT_EQ(library.convolutions.back().filter.alignment, 16);
  EXPECT_FALSE(asked(image(3)));
  EXPECT_TRUE(asked(image(2)));
  EXPECT_EQ(library.convolutions.back().x.alignment, 8);
  EXPECT_TRUE(asked(image(0), {.dilation = {2, 1}}));
  EXPECT_FALSE(asked(image(0), {.dilation = {2, 1}}));
}

TEST_F(CudnnTest, TakesWhatIsFastest) {
  gpu.is_capturing = false;
  library.choices = {{6, {5}}, {1, {}}, {2, {}, 64}, {3, {}, 0, 0, 3007}, {4, {}}};
  const Tensor weight = numbers<float>({16, 16, 3, 3});
  std::int64_t columns = 32;
  // Three runs of each of the library's, but of engine 3, which cannot; then three of ours.
  const auto engine = [&](const std::vector<float>& milliseconds) {
    gpu.milliseconds = milliseconds;
    const Tensor x = numbers<float>({2, 16, 32, ++columns});
    const Window2 window{.padding = {1, 0}};
    const Tensor first = conv2d(x, weight, window);
    EXPECT_TRUE(gpu.milliseconds.empty());
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor y = conv2d(x, weight, window);
    EXPECT_EQ(gpu.launches.size(), 1u);
    if (library.convolutions.empty()) {
      EXPECT_EQ(gpu.launches[0].function, "conv2d_narrow");
      return 0;
    }
    EXPECT_EQ(library.convolutions.size(), 1u);
    EXPECT_EQ(gpu.launches[0].function, "conv2d_repair");
    expect_sums<float>(x, weight, window, first);
    expect_sums<float>(x, weight, window, y);
    return library.convolutions[0].engine;
  };
  EXPECT_EQ(engine({9, 3, 3, 8, 2, 2.1f, 9, 4, 4, 9, 5, 5}), 2);
  EXPECT_EQ(engine({9, 3, 3, 8, 4, 4, 9, 4, 2.9f, 9, 5, 5}), 4);
  EXPECT_EQ(engine({9, 3, 3, 8, 3, 3, 9, 4, 4, 9, 5, 3}), 1);
  EXPECT_EQ(engine({9, 3, 3, 8, 2, 2, 9, 4, 4, 9, 5, 1}), 0);
  // What takes much longer is not run again.
  EXPECT_EQ(engine({900, 3, 3, 80, 9, 4, 4, 5000}), 1);
}

TEST_F(CudnnTest, TriesAFewOfManyWays) {
  gpu.is_capturing = false;
  library.choices.clear();
  for (int i = 0; i < 40; ++i) library.choices.push_back({i / 3, {}});
  conv2d(numbers<float>({2, 16, 32, 32}), numbers<float>({16, 16, 3, 3}));
  std::map<int, int> runs;
  for (const StubCudnn::Convolution& convolution : library.convolutions) ++runs[convolution.engine];
  // Eight ways, two of an engine, three times each; and the first in use.
  EXPECT_EQ(runs, (std::map<int, int>{{0, 7}, {1, 6}, {2, 6}, {3, 6}}));
}

TEST_F(CudnnTest, NamesWhatFailed) {
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  library.failures = {{"cudnnBackendExecute", 5000}};
  expect_error(Code::device,
               {"conv2d: ", KERNELGEN_STUB_CUDNN, "cudnnBackendExecute ", "status 5000",
                "CUDNN_STATUS_EXECUTION_FAILED"},
               [&] { conv2d(x, weight); });
  for (const char* function :
       {"cudnnBackendSetAttribute", "cudnnBackendCreateDescriptor", "cudnnSetStream"}) {
    library.failures = {{function, 2000}};
    expect_error(Code::device, {function, "status 2000"}, [&] { conv2d(x, weight, {.dilation = {2, 2}}); });
  }
  library.failures = {{"cudnnBackendFinalize 15", 1001}};
  expect_error(Code::device, {"cudnnBackendFinalize", "status 1001"},
               [&] { conv2d(x, weight, {.dilation = {2, 2}}); });
  EXPECT_TRUE(gpu.launches.empty());
  library.failures.clear();
  conv2d(x, weight, {.dilation = {2, 2}});
  EXPECT_EQ(library.convolutions.size(), 1u);
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
