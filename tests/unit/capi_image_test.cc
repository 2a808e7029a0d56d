// Operations on images, and rope, through the C interface.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST_F(Capi, Convolutions) {
  kernelgen_window1 window1 = kernelgen_window1_init();
  kernelgen_window2 window2 = kernelgen_window2_init();
  kernelgen_tensor* y = nullptr;
  const kernelgen_tensor* line = make({1, 2, 3, 4}, {1, 1, 4});
  const kernelgen_tensor* pair = make({1, 10}, {1, 1, 2});
  ok(kernelgen_conv1d(line, pair, window1, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{21, 32, 43}));
  window1.stride = 2;
  window1.output_padding = 1;
  ok(kernelgen_conv_transpose1d(line, pair, window1, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{1, 10, 2, 20, 3, 30, 4, 40, 0}));

  const kernelgen_tensor* x = make({1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 2, 2});
  const kernelgen_tensor* kernels = make({1, 10, 100, 1000}, {2, 1, 1, 2});
  window2.groups = 2;
  window2.padding.width = 1;
  ok(kernelgen_conv2d(x, kernels, window2, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{10, 21, 2, 30, 43, 4, 5000, 6500, 600, 7000, 8700, 800}));
  ok(kernelgen_conv_transpose2d(x, kernels, window2, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{12, 34, 5600, 7800}));
  fails(kernelgen_conv2d(x, pair, window2, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT, "conv2d");
  fails(kernelgen_conv2d(x, nullptr, window2, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "weight is NULL");
}

TEST_F(Capi, Pooling) {
  const kernelgen_tensor* x = make({1, 2, 3, 4, 5, 6, 7, 8}, {1, 1, 2, 4});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_max_pool2d(x, {2, 2}, {1, 2}, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{6, 8}));
  ok(kernelgen_avg_pool2d(x, {2, 1}, {1, 1}, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{3, 4, 5, 6}));
  fails(kernelgen_avg_pool2d(x, {3, 1}, {1, 1}, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "avg_pool2d");
  fails(kernelgen_max_pool2d(nullptr, {1, 1}, {1, 1}, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "x is NULL");
}

TEST_F(Capi, Upsampling) {
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_upsample_nearest1d(make({1, 2}, {1, 1, 2}), 4, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{1, 1, 2, 2}));
  const kernelgen_tensor* x = make({0, 1, 2, 3}, {1, 1, 2, 2});
  ok(kernelgen_upsample_nearest2d(x, {1, 4}, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{0, 0, 1, 1}));
  ok(kernelgen_upsample_bilinear2d(x, {3, 3}, 1, nullptr, nullptr, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{0, 0.5, 1, 1, 1.5, 2, 2, 2.5, 3}));
  const double scale = 0.5;
  ok(kernelgen_upsample_bilinear2d(x, {1, 2}, 0, &scale, nullptr, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{1, 2}));
  fails(kernelgen_upsample_nearest1d(x, 4, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "upsample_nearest1d");
}

TEST_F(Capi, RotaryEmbedding) {
  const kernelgen_tensor* cos = make({0, 1}, {1, 2});
  const kernelgen_tensor* sin = make({1, 0}, {1, 2});
  const kernelgen_tensor* x = make({1, 2, 3, 4}, {1, 1, 1, 4});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_rope(x, cos, sin, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{-3, 2, 1, 4}));
  ok(kernelgen_rope_thd(x, cos, sin, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{-3, 2, 1, 4}));
  ok(kernelgen_rope_i(x, cos, sin, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{-2, 1, 3, 4}));
  fails(kernelgen_rope(x, make({0}, {1, 1}), sin, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "rope: cos");
}

}  // namespace
}  // namespace kernelgen::test
