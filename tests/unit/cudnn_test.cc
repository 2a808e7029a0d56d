// Convolutions on a CUDA device through a stub of cuDNN: the calls made, and convolutions left to our kernels.
#include "cudnn_fixture.hpp"

namespace kernelgen {
namespace {

using test::CudnnTest;
using test::StubCudnn;

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
  check_transposed<float>(numbers<float>({4, 18, 9, 10}), {18, 10, 3, 4},
                          {.stride = {2, 2}, .padding = {1, 2}, .output_padding = {1, 0}});
  check_transposed<float>(numbers<float>({8, 16, 25, 20}), {16, 3, 1, 1}, {.stride = {2, 3}});
}

TEST_F(CudnnTest, IsToldTheTransposedProblem) {
  const Tensor x = numbers<float>({2, 24, 20, 15}), weight = numbers<float>({24, 6, 3, 2});
  const Tensor y = conv_transpose2d(
      x, weight,
      {.stride = {2, 1}, .padding = {1, 0}, .dilation = {3, 2}, .output_padding = {1, 0}, .groups = 2});
  EXPECT_EQ(y.shape(), (Shape{2, 12, 44, 17}));
  ASSERT_EQ(library.convolutions.size(), 1u);
  const StubCudnn::Convolution& c = library.convolutions[0];
  EXPECT_TRUE(c.by_data);
  EXPECT_EQ(c.y.shape, (std::array<std::int64_t, 4>{2, 24, 20, 15}));
  EXPECT_EQ(c.y.strides, (std::array<std::int64_t, 4>{24 * 300, 300, 15, 1}));
  EXPECT_EQ(c.filter.shape, (std::array<std::int64_t, 4>{24, 6, 3, 2}));
  EXPECT_EQ(c.filter.strides, (std::array<std::int64_t, 4>{36, 6, 2, 1}));
  EXPECT_EQ(c.x.shape, (std::array<std::int64_t, 4>{2, 12, 44, 17}));
  EXPECT_EQ(c.x.strides, (std::array<std::int64_t, 4>{12 * 748, 748, 17, 1}));
  EXPECT_EQ(c.padding, (std::array<std::int64_t, 2>{1, 0}));
  EXPECT_EQ(c.stride, (std::array<std::int64_t, 2>{2, 1}));
  EXPECT_EQ(c.dilation, (std::array<std::int64_t, 2>{3, 2}));
}

TEST_F(CudnnTest, AnOutputPaddingOfAWholeStrideIsOurs) {
  const Tensor x = numbers<float>({2, 16, 20, 20}), weight = numbers<float>({16, 16, 3, 3});
  conv_transpose2d(x, weight, {.stride = {2, 2}, .output_padding = {2, 0}});
  EXPECT_TRUE(library.convolutions.empty());
  conv_transpose2d(x, weight, {.stride = {2, 2}, .output_padding = {1, 1}});
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

TEST_F(CudnnTest, LongSumsAreMadeOverSomeChannelsAtATime) {
  using Channels = std::vector<std::int64_t>;
  for (const auto& [dtype, channels, parts] : {std::tuple{DType::f32, 910, Channels{910}},
                                               {DType::f32, 911, {910, 1}},
                                               {DType::f64, 2000, {910, 910, 180}}}) {
    library.convolutions.clear();
    const Tensor y = conv2d(Tensor::zeros(device, {2, channels, 16, 16}, dtype),
                            Tensor::zeros(device, {16, channels, 3, 3}, dtype));
    EXPECT_EQ(y.shape(), (Shape{2, 16, 14, 14}));
    Channels taken;
    for (const StubCudnn::Convolution& each : library.convolutions) taken.push_back(each.x.shape[1]);
    EXPECT_EQ(taken, parts) << name_of(dtype) << " " << channels;
  }
}

TEST_F(CudnnTest, LongSumsOfOneChannelStayOurs) {
  conv2d(Tensor::zeros(device, {1, 2, 100, 100}, DType::f32),
         Tensor::zeros(device, {16, 2, 91, 91}, DType::f32));
  EXPECT_TRUE(library.convolutions.empty());
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
  expect_fix_padding(image(x), image(weight), of_one_row, image(y));
}

TEST_F(CudnnTest, LeavesTheRestToOurKernels) {
  const auto is_ours = [&](const Shape& image, const Shape& kernel, const Window2& window = {},
                           DType dtype = DType::f32) {
    gpu.launches.clear();
    conv2d(Tensor::zeros(device, image, dtype), Tensor::zeros(device, kernel, dtype), window);
    return library.convolutions.empty() && gpu.launches.size() == 1;
  };
  EXPECT_TRUE(is_ours({1, 4, 6, 6}, {8, 4, 3, 3}));  // small
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

}  // namespace
}  // namespace kernelgen
