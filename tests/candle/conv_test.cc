// candle's convolutions and their unfolded forms, with strided images and kernels.
#include <gtest/gtest.h>

#include <cmath>

#include "conformance/inputs.hpp"
#include "conformance/tolerance.hpp"
#include "image_case.hpp"
#include "reference/strided.hpp"

namespace kernelgen::candle {
namespace {

using conformance::pool;
using conformance::sum_slack;
using reference::Pair;

/// Of one dim where `x` and `weight` have one row.
struct ConvCase {
  Shape x, weight;
  std::int64_t stride = 1, padding = 0, dilation = 1, output_padding = 0;

  bool has_rows() const { return x[2] != 1 || weight[2] != 1; }
  reference::Window window() const {
    const auto pair = [&](std::int64_t n, std::int64_t none) { return Pair{has_rows() ? n : none, n}; };
    return {pair(stride, 1), pair(padding, 0), pair(dilation, 1), pair(output_padding, 0)};
  }
  Shape shape(Shape of) const {
    if (!has_rows()) of.erase(2);
    return of;
  }
  std::string text() const {
    return "of " + x.to_string() + " * " + weight.to_string() + ", stride " + std::to_string(stride) +
           ", padding " + std::to_string(padding) + ", dilation " + std::to_string(dilation) +
           ", output padding " + std::to_string(output_padding);
  }
};

const ConvCase conv_cases[] = {
    {{2, 3, 5, 6}, {4, 3, 3, 3}, 1, 1},    {{1, 2, 7, 9}, {5, 2, 3, 2}, 2},
    {{2, 2, 8, 7}, {3, 2, 2, 3}, 1, 2, 2}, {{1, 40, 6, 5}, {2, 40, 3, 3}, 3, 1},
    {{1, 2, 3, 4}, {2, 2, 2, 3}, 2, 3, 3}, {{2, 1, 12, 30}, {2, 1, 1, 1}},
    {{0, 2, 5, 5}, {3, 2, 3, 3}},          {{2, 0, 5, 5}, {3, 0, 3, 3}},
    {{2, 4, 1, 11}, {4, 4, 1, 3}, 1, 1},   {{1, 6, 1, 17}, {5, 6, 1, 4}, 3, 2, 2},
    {{2, 3, 1, 9}, {2, 3, 1, 2}, 2, 0, 3}, {{1, 70, 1, 30}, {3, 70, 1, 5}, 1, 4},
    {{1, 1, 1, 1}, {1, 1, 1, 1}},          {{0, 1, 1, 4}, {1, 1, 1, 2}},
};
const ConvCase transposed_cases[] = {
    {{2, 3, 5, 6}, {3, 4, 3, 3}, 1, 1},
    {{1, 2, 4, 5}, {2, 5, 3, 2}, 3, 0, 1, 2},
    {{2, 2, 3, 5}, {2, 3, 2, 3}, 2, 1, 2},
    {{1, 40, 4, 3}, {40, 2, 3, 3}, 2, 1, 1, 1},
    {{1, 2, 3, 4}, {2, 3, 3, 2}, 4, 2, 3, 3},
    {{1, 3, 4, 4}, {3, 8, 1, 1}, 4},
    {{0, 2, 3, 3}, {2, 3, 3, 3}},
    {{2, 4, 1, 11}, {4, 4, 1, 3}, 1, 1},
    {{1, 6, 1, 17}, {6, 5, 1, 4}, 3, 2, 2, 1},
    {{1, 70, 1, 13}, {70, 3, 1, 5}, 2, 0, 1, 1},
    {{1, 1, 1, 1}, {1, 1, 1, 1}},
};

void check_conv(DType dtype, bool transposed, const ConvCase& c, Kind x_kind, Kind weight_kind,
                const Elements& x_values, const Elements& weight_values) {
  const View x(x_kind, c.shape(c.x), x_values), weight(weight_kind, c.shape(c.weight), weight_values);
  const Sums sums = (transposed ? reference::conv_transpose : reference::conv)(x.values, c.x, weight.values,
                                                                               c.weight, c.window());
  const Shape y =
      (transposed ? reference::conv_transpose_shape : reference::conv_shape)(c.x, c.weight, c.window());
  const std::int64_t terms =
      std::max<std::int64_t>(1, c.weight[transposed ? 0 : 1] * c.weight[2] * c.weight[3]);
  const Tensor info = info_of({x.layout, weight.layout});
  check(
      std::string(transposed ? "conv_transpose" : "conv") + (c.has_rows() ? "2d" : "1d"), c.text(), dtype,
      reference::count_of(y),
      [&](void* out) {
        Block block = Block().add(Size(x.values.count())).add(Size(y[3]));
        if (c.has_rows()) block.add(Size(y[2]));
        block.add(Size(c.stride)).add(Size(c.padding));
        if (transposed) block.add(Size(c.output_padding));
        return block.add(Size(c.dilation)).add(info).add(x.tensor).add(weight.tensor).add(out);
      },
      within(sums, dtype, is_float(dtype) ? sum_slack(dtype, terms, 1) : 0));
}

template <std::size_t N>
void check_convs(bool transposed, const ConvCase (&cases)[N]) {
  for (const DType dtype : image_dtypes) {
    const Elements x = factors(dtype, 3000), weight = factors(dtype, 9000);
    for (const ConvCase& c : cases)
      for (std::size_t k = 0; k < std::size(kinds); ++k)
        check_conv(dtype, transposed, c, kinds[k], kinds[3 * k % std::size(kinds)], x, weight);
    if (!is_float(dtype)) continue;
    // Where the kernel leaves the image its weights do not count, infinite ones neither.
    const Elements infinite =
        reference::make_elements(dtype, std::vector<Real>{1, -INFINITY, 2, INFINITY, 3, -1, 1, 2});
    check_conv(dtype, transposed, {{1, 2, 4, 5}, {2, 2, 3, 2}, 2, 1}, Kind::contiguous, Kind::contiguous, x,
               infinite);
  }
}

TEST(CandleConv, Convolutions) { check_convs(false, conv_cases); }
TEST(CandleConv, TransposedConvolutions) { check_convs(true, transposed_cases); }

/// [batch, rows, columns, channels, kernel rows, kernel columns].
Elements unfolded(const Elements& x, const ConvCase& c, const Shape& y) {
  const reference::Window window = c.window();
  Elements result(x.dtype(), y[0] * y[2] * y[3] * c.x[1] * c.weight[2] * c.weight[3]);
  std::int64_t i = 0;
  for (std::int64_t batch = 0; batch < y[0]; ++batch)
    for (std::int64_t row = 0; row < y[2]; ++row)
      for (std::int64_t column = 0; column < y[3]; ++column)
        for (std::int64_t channel = 0; channel < c.x[1]; ++channel)
          for (std::int64_t r = 0; r < c.weight[2]; ++r)
            for (std::int64_t s = 0; s < c.weight[3]; ++s, ++i) {
              const std::int64_t from_row =
                  row * window.stride.rows + r * window.dilation.rows - window.padding.rows;
              const std::int64_t from_column =
                  column * window.stride.columns + s * window.dilation.columns - window.padding.columns;
              if (from_row < 0 || from_row >= c.x[2] || from_column < 0 || from_column >= c.x[3]) continue;
              std::memcpy(result.at(i),
                          x.at(((batch * c.x[1] + channel) * c.x[2] + from_row) * c.x[3] + from_column),
                          size_of(x.dtype()));
            }
  return result;
}

TEST(CandleConv, Unfolding) {
  for (const DType dtype : image_dtypes)
    for (const ConvCase& c : conv_cases)
      for (const Kind kind : kinds) {
        const View x(kind, c.shape(c.x), pool(dtype));
        const Shape y = reference::conv_shape(c.x, c.weight, c.window());
        const Elements wanted = unfolded(x.values, c, y);
        const Tensor info = info_of({x.layout});
        check(
            c.has_rows() ? "im2col" : "im2col1d", c.text(), dtype, wanted.count(),
            [&](void* out) {
              // Of one dim candle counts threads, each of which it gives a kernel's length.
              Block block = Block().add(Size(c.has_rows() ? wanted.count() : y[0] * y[3] * c.x[1]));
              if (c.has_rows()) block.add(Size(y[2]));
              block.add(Size(y[3]));
              if (c.has_rows()) block.add(Size(c.weight[2]));
              return block.add(Size(c.weight[3]))
                  .add(Size(c.stride))
                  .add(Size(c.padding))
                  .add(Size(c.dilation))
                  .add(info)
                  .add(x.tensor)
                  .add(out);
            },
            same_bits(wanted));
      }
}

TEST(CandleConv, Folding) {
  struct Case {
    std::int64_t batch, length, channels, kernel, stride;
  };
  for (const DType dtype : image_dtypes)
    for (const Case& c : {Case{2, 5, 3, 4, 1}, Case{1, 7, 2, 3, 2}, Case{3, 4, 1, 2, 2}, Case{2, 6, 5, 2, 5},
                          Case{1, 1, 1, 1, 1}, Case{1, 200, 2, 90, 1}, Case{0, 3, 2, 2, 1}}) {
      const std::int64_t length = (c.length - 1) * c.stride + c.kernel;
      const View x(Kind::contiguous, {c.batch, c.length, c.channels, c.kernel}, factors(dtype, 4000));
      Sums sums;
      sums.value.resize(static_cast<std::size_t>(c.batch * c.channels * length));
      sums.magnitude.resize(sums.value.size());
      std::int64_t i = 0;
      for (std::int64_t batch = 0; batch < c.batch; ++batch)
        for (std::int64_t at = 0; at < c.length; ++at)
          for (std::int64_t channel = 0; channel < c.channels; ++channel)
            for (std::int64_t k = 0; k < c.kernel; ++k, ++i) {
              const auto to =
                  static_cast<std::size_t>((batch * c.channels + channel) * length + at * c.stride + k);
              sums.value[to] += real_at(x.values, i);
              sums.magnitude[to] += std::fabs(real_at(x.values, i));
            }
      check(
          "col2im1d", "of " + x.layout.shape.to_string() + ", stride " + std::to_string(c.stride), dtype,
          c.batch * c.channels * length,
          [&](void* out) {
            return Block()
                .add(Size(c.batch * c.channels * length))
                .add(Size(length))
                .add(Size(c.length))
                .add(Size(c.channels))
                .add(Size(c.kernel))
                .add(Size(c.stride))
                .add(x.tensor)
                .add(out);
          },
          within(sums, dtype, is_float(dtype) ? sum_slack(dtype, c.kernel, 1) : 0));
    }
}

}  // namespace
}  // namespace kernelgen::candle
