// Convolutions for AMD GPUs, executed by the host: rows that accesses cover, end in or cross, padding on
// all sides, strides, dilations, and infinities next to the padding.
#include "conv/conv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "elements.hpp"
#include "ops/iteration.hpp"

namespace kg {
namespace {

using namespace simulated;

/// One dim of an image.
struct Axis {
  int in, kernel, stride = 1, padding = 0, dilation = 1;
  u32 out = 0;      ///< as many as there are where it is 0
  int spacing = 1;  ///< of input elements

  u32 extent() const {
    return out != 0 ? out : static_cast<u32>((in + 2 * padding - (kernel - 1) * dilation - 1) / stride + 1);
  }
};

struct Case {
  u32 batch, groups, in_channels, out_channels;  ///< channels of one group
  Axis rows, columns;
  Elements elements = Elements::small_integers;
  u32 step = 1;           ///< of the result's rows and columns in memory
  bool infinite = false;  ///< some weights are

  ConvShape shape() const {
    using kernelgen::divisor;
    const u32 out_columns = step * columns.extent(), channels = groups * out_channels;
    ConvShape shape{};
    shape.batch = batch;
    shape.groups = groups;
    shape.in_channels = in_channels;
    shape.out_channels = out_channels;
    shape.in_rows = rows.in;
    shape.in_columns = columns.in;
    shape.row_stride = rows.stride;
    shape.column_stride = columns.stride;
    shape.row_dilation = rows.dilation;
    shape.column_dilation = columns.dilation;
    shape.row_padding = rows.padding;
    shape.column_padding = columns.padding;
    shape.row_spacing = divisor(static_cast<u32>(rows.spacing));
    shape.column_spacing = divisor(static_cast<u32>(columns.spacing));
    shape.weight_in = static_cast<u32>(rows.kernel * columns.kernel);
    shape.weight_out = in_channels * shape.weight_in;
    shape.rows = divisor(rows.extent());
    shape.columns = divisor(columns.extent());
    shape.kernel_rows = static_cast<u32>(rows.kernel);
    shape.kernel_columns = divisor(static_cast<u32>(columns.kernel));
    shape.kernel_size = divisor(static_cast<u32>(rows.kernel * columns.kernel));
    shape.channels = divisor(out_channels);
    shape.image_channels = divisor(channels);
    shape.x_channel = i64{rows.in} * columns.in;
    shape.y_row = i64{step} * out_columns;
    shape.y_column = step;
    shape.y_channel = i64{step} * rows.extent() * out_columns;
    return shape;
  }
};

/// Each result by plain loops over what the kernel meets inside the image.
template <class T>
struct Reference {
  const ConvShape& shape;
  const std::vector<T>&x, &weight;

  /// The sum, and that of its terms' magnitudes.
  struct Sum {
    double value = 0, magnitude = 0;
  };

  Sum at(u32 batch, u32 channel, u32 row, u32 column) const {
    const u32 group = channel / shape.out_channels, columns = shape.kernel_columns.extent;
    Sum sum;
    for (u32 c = 0; c < shape.in_channels; ++c)
      for (u32 r = 0; r < shape.kernel_rows; ++r)
        for (u32 k = 0; k < columns; ++k) {
          i64 in_row = i64{row} * shape.row_stride + i64{r} * shape.row_dilation - shape.row_padding;
          i64 in_column =
              i64{column} * shape.column_stride + i64{k} * shape.column_dilation - shape.column_padding;
          if (in_row % shape.row_spacing.extent != 0 || in_column % shape.column_spacing.extent != 0)
            continue;
          in_row /= shape.row_spacing.extent;
          in_column /= shape.column_spacing.extent;
          if (in_row < 0 || in_row >= shape.in_rows || in_column < 0 || in_column >= shape.in_columns)
            continue;
          const u64 plane = (u64{batch} * shape.groups + group) * shape.in_channels + c;
          const T& element = x[plane * static_cast<u64>(shape.x_channel) +
                               static_cast<u64>(in_row * shape.in_columns + in_column)];
          const T& factor =
              weight[((u64{channel} * shape.in_channels + c) * shape.kernel_rows + r) * columns + k];
          const double product = static_cast<double>(widen(element)) * static_cast<double>(widen(factor));
          sum.value += product;
          sum.magnitude += std::fabs(product);
        }
    return sum;
  }
};

template <class T>
std::vector<T> drawn(std::size_t count, Elements elements, std::mt19937& random) {
  std::vector<T> all(count);
  std::generate(all.begin(), all.end(), [&] { return draw<T>(elements, random); });
  return all;
}

/// The most by which a sum in f32 (f64's in f64), rounded to T, may be off.
template <class T>
double tolerance(double magnitude) {
  if (sizeof(T) == 8) return magnitude * 0x1p-44;
  return magnitude * (sizeof(T) == 4  ? 0x1p-20
                      : same<T, f16>  ? 0x1p-11
                      : same<T, bf16> ? 0x1p-8
                                      : 0x1p-4) +
         (sizeof(T) == 2 ? 0x1p-25 : 0x1p-10);
}

template <class T, class Body>
void check(const Case& of, Body body) {
  const ConvShape shape = of.shape();
  const u32 channels = of.groups * of.out_channels;
  std::mt19937 random(of.in_channels * 31 + of.out_channels * 7 + static_cast<u32>(of.columns.in));
  const std::vector<T> x =
      drawn<T>(std::size_t{of.batch} * of.groups * of.in_channels * static_cast<u64>(shape.x_channel),
               of.elements, random);
  std::vector<T> weight =
      drawn<T>(std::size_t{channels} * of.in_channels * shape.kernel_size.extent, of.elements, random);
  if (of.infinite)
    for (std::size_t i = 0; i < weight.size(); i += 61)
      weight[i] = convert<T>(std::numeric_limits<widened<T>>::infinity());
  const u32 columns = shape.columns.extent, rows = shape.rows.extent;
  std::vector<T> y(std::size_t{of.batch} * channels * static_cast<u64>(shape.y_channel));
  simulated::block.launch(3, block_threads, [&] { body(x.data(), weight.data(), y.data(), shape); });

  const Reference<T> reference{shape, x, weight};
  for (u32 b = 0; b < of.batch; ++b)
    for (u32 c = 0; c < channels; ++c)
      for (u32 r = 0; r < rows; ++r)
        for (u32 k = 0; k < columns; ++k) {
          const auto sum = reference.at(b, c, r, k);
          const double wanted = widen(convert<T>(static_cast<widened<T>>(sum.value)));
          const double given = widen(y[(u64{b} * channels + c) * static_cast<u64>(shape.y_channel) +
                                       r * static_cast<u64>(shape.y_row) + k * of.step]);
          if (given == wanted || (std::isnan(given) && std::isnan(wanted))) continue;
          ASSERT_TRUE(of.elements == Elements::normal &&
                      std::fabs(given - sum.value) <= tolerance<T>(sum.magnitude))
              << "image " << b << ", channel " << c << ", row " << r << ", column " << k << ": " << given
              << " instead of " << wanted << "; " << of.in_channels << " channels of " << of.rows.in << " x "
              << of.columns.in;
        }
}

template <class T>
void check_wide(const Case& of) {
  check<T>(of, [](const T* x, const T* weight, T* y, const ConvShape& shape) {
    conv_implicit_gemm(x, weight, y, shape);
  });
}

template <class T>
class SimulatedConvolutionOf : public testing::Test {};
using Types = testing::Types<f16, bf16, f8e4m3, f32, f64>;
TYPED_TEST_SUITE(SimulatedConvolutionOf, Types, TypeNames);

TYPED_TEST(SimulatedConvolutionOf, TakesRowsOfAllLengths) {
  for (const int columns : {1, 3, 7, 14, 16, 21, 32})
    check_wide<TypeParam>({2, 1, 5, 33, {6, 3, 1, 1}, {columns, 3, 1, 1}});
}

TYPED_TEST(SimulatedConvolutionOf, TakesOneElementOfTheKernelAndWholeWeights) {
  check_wide<TypeParam>({1, 1, 64, 72, {8, 1}, {16, 1}});
  check_wide<TypeParam>({3, 1, 24, 40, {7, 1}, {7, 1}, Elements::normal});
}

/// More than the taps that are kept at a time.
TYPED_TEST(SimulatedConvolutionOf, TakesLongKernels) {
  check_wide<TypeParam>({1, 1, 67, 48, {6, 3, 1, 1}, {16, 3, 1, 1}});
  check_wide<TypeParam>({1, 1, 64, 33, {5, 3}, {18, 3}, Elements::normal});
  check_wide<TypeParam>({1, 1, 3, 33, {12, 11, 1, 5}, {20, 11, 1, 5}});
}

TYPED_TEST(SimulatedConvolutionOf, TakesStridesDilationsAndGroups) {
  check_wide<TypeParam>({2, 3, 4, 34, {11, 3, 2, 1}, {19, 3, 2, 1}});
  check_wide<TypeParam>({1, 2, 6, 40, {12, 3, 1, 2, 2}, {20, 3, 1, 3, 3}});
  check_wide<TypeParam>({1, 1, 4, 35, {9, 2, 8, 0}, {40, 2, 7, 3}});
}

/// A phase of a transposed convolution: dilated backwards, into some of the result's rows and columns.
TYPED_TEST(SimulatedConvolutionOf, TakesPhases) {
  check_wide<TypeParam>(
      {1, 1, 9, 36, {8, 2, 1, 0, -1, 8}, {16, 2, 1, 0, -1, 16}, Elements::small_integers, 2});
}

TYPED_TEST(SimulatedConvolutionOf, OfNoChannelsIsZero) {
  check_wide<TypeParam>({1, 1, 0, 33, {4, 3, 1, 1}, {9, 3, 1, 1}});
}

TYPED_TEST(SimulatedConvolutionOf, PaddingAddsNothingToInfiniteWeights) {
  if (same<TypeParam, f8e4m3>) GTEST_SKIP() << "f8e4m3 has no infinities";
  check_wide<TypeParam>({1, 1, 4, 33, {5, 3, 1, 1}, {16, 3, 1, 1}, Elements::small_integers, 1, true});
  check_wide<TypeParam>({2, 1, 4, 33, {7, 3, 1, 1}, {7, 3, 1, 1}, Elements::small_integers, 1, true});
}

TYPED_TEST(SimulatedConvolutionOf, OfFewChannelsIsRight) {
  check<TypeParam>({2, 2, 5, 11, {6, 3, 2, 1}, {21, 3, 1, 1}},
                   [](const TypeParam* x, const TypeParam* weight, TypeParam* y, const ConvShape& shape) {
                     conv_implicit_gemm_small(x, weight, y, shape);
                   });
}

template <class T>
void check_direct(const Case& of) {
  check<T>(of, [](const T* x, const T* weight, T* y, const ConvShape& shape) {
    conv_direct(x, weight, y, shape);
  });
}

/// Groups of 1 to 128 threads, whose share of a result's terms ends within the loads that are in flight.
TYPED_TEST(SimulatedConvolutionOf, DirectSumsAreShared) {
  check_direct<TypeParam>({2, 2, 5, 11, {6, 3, 2, 1}, {21, 3, 1, 1}});
  check_direct<TypeParam>({1, 1, 7, 3, {5, 3, 1, 1}, {4, 3, 1, 0}});
  check_direct<TypeParam>({1, 2, 43, 1, {4, 3}, {4, 3, 1, 0, 1, 1}, Elements::normal});
}

/// More than the taps that are kept at a time.
TYPED_TEST(SimulatedConvolutionOf, DirectSumsMayBeLong) {
  check_direct<TypeParam>({1, 1, 67, 2, {5, 3, 1, 1}, {6, 3, 1, 1}});
}

TYPED_TEST(SimulatedConvolutionOf, DirectTakesSpacedElements) {
  check_direct<TypeParam>({2, 1, 3, 4, {4, 3, 1, 2, 1, 9, 2}, {5, 2, 1, 1, 1, 13, 3}});
  // Of transposed convolutions: dilated backwards, with results that have no terms.
  check_direct<TypeParam>({1, 2, 5, 3, {3, 5, 1, 0, -1, 9, 2}, {4, 7, 1, 0, -2, 20, 3}});
  check_direct<TypeParam>({1, 1, 70, 1, {3, 2, 1, 0, -1, 9, 4}, {4, 3, 1, 0, -4, 16, 2}});
}

TYPED_TEST(SimulatedConvolutionOf, DirectSkipsPadding) {
  if (same<TypeParam, f8e4m3>) GTEST_SKIP() << "f8e4m3 has no infinities";
  check_direct<TypeParam>({1, 1, 4, 33, {5, 3, 1, 1}, {16, 3, 1, 1}, Elements::small_integers, 1, true});
}

}  // namespace
}  // namespace kg
