// candle's kernels on images: convolutions, their unfolded forms, pools and upsampling, with strided images and
// kernels. A dim that candle calls w in pools and upsample_nearest2d is the rows here.
#include <gtest/gtest.h>

#include "conformance/expect.hpp"
#include "conformance/inputs.hpp"
#include "conformance/tolerance.hpp"
#include "launcher.hpp"
#include "reference/conv.hpp"
#include "reference/strided.hpp"

namespace kernelgen::candle {
namespace {

using conformance::accumulator_unit;
using conformance::expect_within;
using conformance::moderate;
using conformance::pool;
using conformance::repeat;
using conformance::sum_slack;
using reference::Pair;
using reference::Real;
using reference::Sums;

using Size = std::uint64_t;

constexpr DType image_dtypes[] = {DType::bf16, DType::f16, DType::f32, DType::f64, DType::u8, DType::u32};

/// The layout of a tensor.
enum class Kind { contiguous, reversed_dims, gaps, one_batch };
constexpr Kind kinds[] = {Kind::contiguous, Kind::reversed_dims, Kind::gaps, Kind::one_batch};

Dims strides_of(Kind kind, const Shape& shape) {
  Dims strides = shape;
  std::int64_t pitch = kind == Kind::gaps ? 2 : 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t d = kind == Kind::reversed_dims ? i : shape.size() - 1 - i;
    strides[d] = pitch;
    pitch = pitch * shape[d] + (kind == Kind::gaps ? 3 : 0);
  }
  if (kind == Kind::one_batch) strides[0] = 0;
  return strides;
}

struct View {
  Layout layout;
  Tensor tensor;
  Elements values;  ///< row-major

  View(Kind kind, const Shape& shape, const Elements& source) : layout{shape, strides_of(kind, shape), 0} {
    const Elements storage = repeat(source, 5, layout.elements() == 0 ? 0 : layout.extent().last + 1);
    tensor = upload(storage);
    values = gather(storage, layout);
  }
};

/// Dims and strides of each.
Tensor info_of(const std::vector<Layout>& layouts) {
  std::vector<std::int64_t> numbers;
  for (const Layout& layout : layouts) {
    numbers.insert(numbers.end(), layout.shape.begin(), layout.shape.end());
    numbers.insert(numbers.end(), layout.strides.begin(), layout.strides.end());
  }
  return upload_info(numbers);
}

/// Numbers whose products add up: integers wrap, all of them of u8.
Elements factors(DType dtype, std::uint64_t stream) {
  if (is_float(dtype)) return moderate(dtype, 1021, stream);
  std::vector<Real> values;
  for (std::uint64_t i = 0; i < 1021; ++i)
    values.push_back(
        static_cast<Real>(conformance::random_bits(stream + i) % (dtype == DType::u8 ? 256 : 100000)));
  return reference::make_elements(dtype, values);
}

/// A floating-point sum, or the low bits of an integer one.
Real wrapped(DType dtype, Real sum) {
  return is_float(dtype) ? sum : std::fmod(sum, std::ldexp(Real{1}, static_cast<int>(8 * size_of(dtype))));
}

/// Launches under every cut with `arguments(out)`; `compare(what, result)` judges. The output has room on both
/// ends, which has to stay as it is.
void check(const std::string& kernel, const std::string& what, DType dtype, std::int64_t count,
           const std::function<Block(void*)>& arguments,
           const std::function<void(const std::string&, const Elements&)>& compare) {
  const std::int64_t room = 16, size = static_cast<std::int64_t>(size_of(dtype));
  const Elements poisoned(
      dtype, std::vector<std::byte>(static_cast<std::size_t>((count + 2 * room) * size), std::byte{0xa5}));
  for (const Cut& cut : element_cuts(std::max<std::int64_t>(1, count))) {
    const std::string name = kernel + "_" + suffix(dtype), full = name + " " + what + ", " + cut.text();
    const Tensor whole = upload(poisoned);
    launch(name, cut, arguments(static_cast<std::byte*>(whole.data()) + room * size));
    const Elements got = download(whole);
    compare(full, slice(got, room, count));
    EXPECT_EQ(slice(got, 0, room).bytes(), slice(poisoned, 0, room).bytes()) << full << " wrote before";
    EXPECT_EQ(slice(got, room + count, room).bytes(), slice(poisoned, 0, room).bytes())
        << full << " wrote past the end";
  }
}

/// Sums, each within `error` times its magnitude.
std::function<void(const std::string&, const Elements&)> within(const Sums& sums, DType dtype, Real error) {
  std::vector<Real> exact, slack;
  for (std::size_t i = 0; i < sums.value.size(); ++i) {
    exact.push_back(wrapped(dtype, sums.value[i]));
    slack.push_back(error == 0 ? 0 : error * sums.magnitude[i]);
  }
  return [=](const std::string& what, const Elements& got) { expect_within(what, got, exact, slack); };
}

std::function<void(const std::string&, const Elements&)> same_bits(const Elements& wanted) {
  return
      [=](const std::string& what, const Elements& got) { EXPECT_EQ(got.bytes(), wanted.bytes()) << what; };
}

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

Pair size_of_image(const Shape& shape) { return {shape[2], shape[3]}; }
std::string text(const char* name, Pair pair) {
  return std::string(", ") + name + " " + std::to_string(pair.rows) + "x" + std::to_string(pair.columns);
}

struct PoolCase {
  Shape shape;
  Pair kernel, stride;
};
const PoolCase pool_cases[] = {
    {{2, 3, 8, 8}, {2, 2}, {2, 2}}, {{1, 2, 9, 11}, {3, 3}, {1, 1}}, {{2, 1, 7, 13}, {3, 2}, {2, 3}},
    {{1, 1, 5, 5}, {5, 5}, {1, 1}}, {{3, 2, 4, 6}, {1, 1}, {3, 2}},  {{1, 3, 1, 40}, {1, 7}, {1, 2}},
    {{1, 1, 1, 1}, {1, 1}, {1, 1}}, {{0, 3, 4, 4}, {2, 2}, {2, 2}},
};

void check_pool(const char* kernel, DType dtype, const PoolCase& c, Kind kind, const Elements& values) {
  const bool average = std::string_view(kernel) == "avg_pool2d";
  const View x(kind, c.shape, values);
  const Sums sums = (average ? reference::average_pool : reference::max_pool)(
      x.values, c.shape[0] * c.shape[1], size_of_image(c.shape), c.kernel, c.stride);
  // The division rounds once more.
  const Real error = average && is_float(dtype)
                         ? sum_slack(dtype, c.kernel.rows * c.kernel.columns, 1) + accumulator_unit(dtype)
                         : 0;
  const Tensor info = info_of({x.layout});
  check(
      kernel, "of " + x.layout.to_string() + text("kernel", c.kernel) + text("stride", c.stride), dtype,
      static_cast<std::int64_t>(sums.value.size()),
      [&](void* out) {
        return Block()
            .add(Size(x.values.count()))
            .add(Size(c.kernel.rows))
            .add(Size(c.kernel.columns))
            .add(Size(c.stride.rows))
            .add(Size(c.stride.columns))
            .add(info)
            .add(x.tensor)
            .add(out);
      },
      within(sums, dtype, error));
}

TEST(CandleConv, Pools) {
  for (const DType dtype : image_dtypes)
    for (const PoolCase& c : pool_cases)
      for (const Kind kind : kinds) {
        check_pool("avg_pool2d", dtype, c, kind, is_float(dtype) ? moderate(dtype, 997, 11) : pool(dtype));
        check_pool("max_pool2d", dtype, c, kind, pool(dtype));
      }
}

struct SizeCase {
  Shape shape;
  Pair to;
};
const SizeCase size_cases[] = {
    {{1, 2, 3, 5}, {6, 10}}, {{2, 1, 3, 5}, {7, 13}}, {{2, 3, 7, 9}, {3, 4}}, {{1, 1, 1, 1}, {3, 5}},
    {{1, 1, 4, 6}, {1, 1}},  {{1, 3, 6, 4}, {6, 4}},  {{0, 2, 3, 3}, {5, 5}}, {{1, 1, 2, 3}, {5, 1031}},
};

TEST(CandleConv, NearestUpsampling) {
  for (const DType dtype : image_dtypes)
    for (const SizeCase& c : size_cases)
      for (const Kind kind : kinds) {
        const View x(kind, c.shape, pool(dtype));
        const Sums sums =
            reference::upsample_nearest(x.values, c.shape[0] * c.shape[1], size_of_image(c.shape), c.to);
        const Tensor info = info_of({x.layout});
        check(
            "upsample_nearest2d", "of " + x.layout.to_string() + text("to", c.to), dtype,
            static_cast<std::int64_t>(sums.value.size()),
            [&](void* out) {
              return Block()
                  .add(Size(c.to.rows))
                  .add(Size(c.to.columns))
                  .add(static_cast<double>(c.shape[2]) / static_cast<double>(c.to.rows))
                  .add(static_cast<double>(c.shape[3]) / static_cast<double>(c.to.columns))
                  .add(info)
                  .add(x.tensor)
                  .add(out);
            },
            within(sums, dtype, 0));
      }
}

void check_bilinear(DType dtype, const SizeCase& c, Kind kind, bool align_corners,
                    std::optional<double> row_scale, std::optional<double> column_scale,
                    const Elements& values) {
  const View x(kind, c.shape, values);
  const Sums sums = reference::upsample_bilinear(x.values, c.shape[0] * c.shape[1], size_of_image(c.shape),
                                                 c.to, align_corners, row_scale, column_scale);
  // A weight and three roundings of each axis; integers and f64 are computed in f64.
  const Real unit = accumulator_unit(is_float(dtype) ? dtype : DType::f64);
  const Tensor info = info_of({x.layout});
  check(
      "upsample_bilinear2d",
      "of " + x.layout.to_string() + text("to", c.to) + (align_corners ? ", aligned corners" : ""), dtype,
      static_cast<std::int64_t>(sums.value.size()),
      [&](void* out) {
        return Block()
            .add(Size(c.to.columns))
            .add(Size(c.to.rows))
            .add(align_corners)
            .add(row_scale.has_value())
            .add(row_scale.value_or(0))
            .add(column_scale.has_value())
            .add(column_scale.value_or(0))
            .add(info)
            .add(x.tensor)
            .add(out);
      },
      within(sums, dtype, 6 * unit));
}

TEST(CandleConv, BilinearUpsampling) {
  for (const DType dtype : image_dtypes) {
    const Elements values = is_float(dtype) ? moderate(dtype, 997, 12) : pool(dtype);
    for (const bool align_corners : {false, true}) {
      for (const SizeCase& c : size_cases)
        for (const Kind kind : kinds) check_bilinear(dtype, c, kind, align_corners, {}, {}, values);
      const SizeCase scaled{{1, 2, 5, 7}, {8, 11}};
      check_bilinear(dtype, scaled, Kind::gaps, align_corners, 1.7, {}, values);
      check_bilinear(dtype, scaled, Kind::gaps, align_corners, {}, 0.6, values);
      check_bilinear(dtype, scaled, Kind::reversed_dims, align_corners, 0.3, 20.5, values);
      // The same size: every kind of number as it is, with or without infinities next to it.
      check_bilinear(dtype, {{1, 1, 9, 17}, {9, 17}}, Kind::contiguous, align_corners, {}, {},
                     conformance::specials(dtype));
    }
  }
}

}  // namespace
}  // namespace kernelgen::candle
