// conv1d, conv2d, conv_transpose1d, conv_transpose2d.
#include <gtest/gtest.h>

#include <limits>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "reference/conv.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::Pair;
using reference::Window;

struct ConvCase {
  Shape x, weight;
  Window window;
};

std::string describe(const char* operation, DType dtype, const ConvCase& c, Kind kind) {
  const auto pair = [](const char* name, Pair p) {
    return std::string(", ") + name + " " + std::to_string(p.rows) + "x" + std::to_string(p.columns);
  };
  return std::string(operation) + " " + std::string(name_of(dtype)) + " " + c.x.to_string() + " * " +
         c.weight.to_string() + " " + std::string(name_of(kind)) + pair("stride", c.window.stride) +
         pair("padding", c.window.padding) + pair("dilation", c.window.dilation) +
         pair("output padding", c.window.output_padding) + ", groups " + std::to_string(c.window.groups);
}

Size2 size_of(Pair pair) { return {pair.rows, pair.columns}; }
Window2 window2(const Window& w) {
  return {size_of(w.stride), size_of(w.padding), size_of(w.dilation), size_of(w.output_padding), w.groups};
}
Window1 window1(const Window& w) {
  return {w.stride.columns, w.padding.columns, w.dilation.columns, w.output_padding.columns, w.groups};
}

/// The same case without the rows, which are one.
Shape without_rows(const Shape& shape) { return {shape[0], shape[1], shape[3]}; }

struct Values {
  Elements x, weight;
};

void check(DType dtype, bool transposed, bool has_rows, const ConvCase& c, Kind x_kind, Kind weight_kind,
           const Values& values) {
  const auto shape_of = [&](const Shape& shape) { return has_rows ? shape : without_rows(shape); };
  const Input x = make_input(x_kind, shape_of(c.x), values.x);
  const Input weight = make_input(weight_kind, shape_of(c.weight), values.weight);
  const auto evaluate = transposed ? reference::conv_transpose : reference::conv;
  const reference::Sums sums = evaluate(x.elements, c.x, weight.elements, c.weight, c.window);
  const std::int64_t terms =
      std::max<std::int64_t>(1, c.weight[transposed ? 0 : 1] * c.weight[2] * c.weight[3]);
  Approximation wanted;
  for (std::size_t i = 0; i < sums.value.size(); ++i)
    wanted.add(sums.value[i], sum_slack(dtype, terms, sums.magnitude[i]));
  const Shape shape =
      (transposed ? reference::conv_transpose_shape : reference::conv_shape)(c.x, c.weight, c.window);
  const char* name = transposed ? has_rows ? "conv_transpose2d" : "conv_transpose1d"
                     : has_rows ? "conv2d"
                                : "conv1d";
  expect_call(
      describe(name, dtype, c, x_kind), dtype, shape_of(shape), wanted, [&](const CallOptions& options) {
        if (has_rows)
          return (transposed ? conv_transpose2d : conv2d)(x.tensor, weight.tensor, window2(c.window),
                                                          options);
        return (transposed ? conv_transpose1d : conv1d)(x.tensor, weight.tensor, window1(c.window), options);
      });
}

/// Weights are [out, in / groups, …]; the transposed operation takes the same numbers as [in, out / groups, …].
const ConvCase small_cases[] = {
    {{2, 3, 5, 6}, {4, 3, 3, 3}, {{1, 1}, {1, 1}}},
    {{1, 2, 7, 9}, {5, 2, 3, 2}, {{2, 3}, {1, 0}}},
    {{2, 4, 6, 5}, {6, 2, 2, 3}, {{1, 2}, {0, 2}, {2, 1}, {0, 0}, 2}},
    {{1, 6, 8, 7}, {6, 1, 3, 3}, {{2, 1}, {1, 1}, {1, 1}, {0, 0}, 6}},
    {{1, 3, 4, 4}, {8, 3, 1, 1}, {}},
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
    {{1, 2, 2, 3}, {2, 2, 4, 5}, {{1, 1}, {2, 3}}},
    {{2, 2, 5, 5}, {3, 2, 3, 3}, {{3, 2}, {4, 5}, {2, 3}}},
    // Narrow and tall, which a CPU turns.
    {{2, 5, 40, 1}, {7, 5, 3, 1}, {}},
    {{3, 4, 19, 3}, {6, 2, 3, 2}, {{2, 1}, {1, 1}, {2, 1}, {0, 0}, 2}},
    {{2, 3, 21, 2}, {3, 1, 3, 1}, {{1, 1}, {0, 0}, {1, 1}, {0, 0}, 3}},
    {{0, 2, 5, 5}, {3, 2, 3, 3}, {}},
    {{2, 0, 5, 5}, {3, 0, 3, 3}, {}},
};
const ConvCase small_transposed_cases[] = {
    {{2, 3, 5, 6}, {3, 4, 3, 3}, {{1, 1}, {1, 1}}},
    {{1, 2, 4, 5}, {2, 5, 3, 2}, {{2, 3}, {1, 0}, {1, 1}, {1, 2}}},
    {{2, 4, 3, 5}, {4, 3, 2, 3}, {{3, 2}, {0, 1}, {2, 1}, {0, 0}, 2}},
    {{1, 6, 4, 3}, {6, 1, 3, 3}, {{2, 1}, {1, 1}, {1, 1}, {1, 0}, 6}},
    {{1, 3, 4, 4}, {3, 8, 1, 1}, {{4, 3}}},
    {{1, 1, 1, 1}, {1, 1, 1, 1}, {}},
    {{1, 2, 3, 3}, {2, 3, 4, 5}, {{2, 4}, {2, 3}, {2, 2}, {1, 3}}},
    {{1, 2, 3, 4}, {2, 3, 3, 3}, {{4, 6}, {2, 1}, {6, 4}, {3, 5}}},
    {{2, 4, 9, 1}, {4, 5, 4, 3}, {{3, 2}, {1, 0}, {1, 1}, {2, 0}}},
    {{2, 4, 17, 2}, {4, 1, 3, 2}, {{2, 1}, {1, 0}, {1, 1}, {1, 0}, 4}},
    {{0, 2, 3, 3}, {2, 3, 3, 3}, {}},
};
/// More channels, elements or products than a tile, a block of it or a panel has.
const ConvCase large_cases[] = {
    {{1, 40, 9, 37}, {21, 40, 3, 3}, {{1, 1}, {1, 1}}},
    {{3, 5, 12, 11}, {130, 5, 3, 3}, {{2, 2}, {1, 1}}},
    {{1, 300, 5, 3}, {66, 300, 1, 1}, {}},
    {{2, 8, 20, 300}, {16, 4, 1, 5}, {{1, 1}, {0, 2}, {1, 2}, {0, 0}, 2}},
    {{1, 3, 40, 300}, {3, 1, 5, 5}, {{1, 1}, {2, 2}, {1, 1}, {0, 0}, 3}},
    {{1, 12, 14, 35}, {40, 12, 3, 3}, {{2, 3}, {5, 2}, {3, 2}}},
    {{1, 4, 3, 2100}, {20, 4, 2, 3}, {{1, 1}, {1, 1}, {1, 2}}},
    // A long sum of few results, which a GPU's blocks share.
    {{1, 96, 6, 5}, {9, 96, 3, 3}, {{1, 1}, {1, 0}}},
    // A matrix product on a CPU.
    {{2, 70, 6, 5}, {3, 70, 3, 2}, {{1, 1}, {1, 0}, {1, 2}}},
};
const ConvCase large_transposed_cases[] = {
    {{1, 40, 7, 19}, {40, 21, 4, 4}, {{2, 2}, {1, 1}}},
    {{2, 12, 6, 70}, {12, 65, 3, 3}, {{1, 2}, {1, 1}, {1, 1}, {0, 1}, 2}},
    {{1, 12, 9, 13}, {12, 24, 3, 3}, {{2, 2}, {1, 2}, {3, 2}}},
    {{1, 128, 4, 5}, {128, 7, 4, 4}, {{2, 2}, {1, 1}}},
};

template <std::size_t N, std::size_t M>
void test_conv2d(DType dtype, bool transposed, const ConvCase (&small)[N], const ConvCase (&large)[M]) {
  const Values values{moderate(dtype, 4099, 40), moderate(dtype, 2053, 41)};
  for (const ConvCase& c : small)
    for (const Kind kind : strided_kinds) check(dtype, transposed, true, c, kind, kind, values);
  for (const ConvCase& c : large)
    check(dtype, transposed, true, c, Kind::contiguous, Kind::contiguous, values);
}

void test_conv1d(DType dtype, bool transposed) {
  const Values values{moderate(dtype, 4099, 42), moderate(dtype, 2053, 43)};
  const auto one_row = [](std::int64_t stride, std::int64_t padding, std::int64_t dilation,
                          std::int64_t output_padding, std::int64_t groups) {
    return Window{{1, stride}, {0, padding}, {1, dilation}, {0, output_padding}, groups};
  };
  for (const Kind kind : strided_kinds) {
    for (const std::int64_t stride : {1, 2, 3})
      for (const std::int64_t dilation : {1, 2}) {
        check(dtype, transposed, false, {{2, 4, 1, 11}, {4, 4, 1, 3}, one_row(stride, 1, dilation, 0, 1)},
              kind, kind, values);
        check(dtype, transposed, false,
              {{1, 6, 1, 17}, {6, 3, 1, 4}, one_row(stride, 0, dilation, transposed ? stride - 1 : 0, 2)},
              kind, kind, values);
      }
  }
  check(dtype, transposed, false, {{1, 80, 1, 300}, {80, 80, 1, 3}, one_row(1, 1, 1, 0, 1)}, Kind::contiguous,
        Kind::contiguous, values);
}

/// Where the kernel leaves the image its weights do not count, infinite ones neither.
void test_infinite_weights(DType dtype, bool transposed) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  const Elements weight = reference::make_elements(
      dtype, std::vector<Real>{infinity, 1, -2, 3, std::numeric_limits<Real>::quiet_NaN(), 1, 2, -1, 1,
                               -infinity, 2});
  const Values values{moderate(dtype, 997, 44), weight};
  for (const std::int64_t channels : {1, 8, 40})
    check(dtype, transposed, true,
          {{1, channels, 7, 9}, {channels, channels, 3, 1}, {{1, 1}, {3, 2}, {3, 1}}}, Kind::contiguous,
          Kind::contiguous, values);
  // Large enough for a library: infinite where the first row of each kernel meets the first channel.
  constexpr std::int64_t channels = 40, rows = 3;
  std::vector<Real> sparse(channels * channels * rows, Real{1} / 4);
  for (std::size_t i = 0; i < sparse.size(); i += channels * rows) sparse[i] = infinity;
  const Elements few = reference::make_elements(dtype, sparse);
  for (const std::int64_t stride : {1, 2})
    check(dtype, transposed, true,
          {{1, channels, 30, 32}, {channels, channels, rows, 1}, {{stride, 1}, {1, 0}}}, Kind::contiguous,
          Kind::contiguous, {values.x, few});
}

/// A window of larger images, each row of it at a multiple of 16 bytes.
void test_part_of_images(DType dtype) {
  const Shape whole{2, 20, 34, 48}, part{2, 16, 30, 30}, kernel{16, 16, 3, 3};
  Layout layout = Layout::contiguous(whole);
  layout = layout.narrow(1, 4, part[1]).narrow(2, 2, part[2]).narrow(3, 16, part[3]);
  const Elements storage = repeat(moderate(dtype, 4099, 45), 0, reference::count_of(whole));
  const Elements x = reference::gather(storage, layout),
                 weight = repeat(moderate(dtype, 2053, 46), 0, 16 * 16 * 9);
  const Tensor view = upload(storage).with_layout(layout), factors = upload(weight).reshape(kernel);
  const reference::Sums sums = reference::conv(x, part, weight, kernel, {});
  Approximation wanted;
  for (std::size_t i = 0; i < sums.value.size(); ++i)
    wanted.add(sums.value[i], sum_slack(dtype, 16 * 9, sums.magnitude[i]));
  expect_call("conv2d of a part of images", dtype, reference::conv_shape(part, kernel, {}), wanted,
              [&](const CallOptions& options) { return conv2d(view, factors, {}, options); });
}

/// All terms of one sign and size, many of them: the case in which a long plain sum would drift.
void test_long_sums(DType dtype) {
  const Elements near_one = [&] {
    std::vector<Real> values;
    for (std::uint64_t i = 0; i < 997; ++i)
      values.push_back(1 + static_cast<Real>(random_bits(i)) * 0x1p-64L);
    return reference::make_elements(dtype, values);
  }();
  for (const std::int64_t out : {1, 4})
    check(dtype, false, true, {{1, 2000, 3, 4}, {out, 2000, 3, 3}, {{1, 1}, {1, 1}}}, Kind::contiguous,
          Kind::contiguous, {near_one, near_one});
}

}  // namespace

void register_conv_tests() {
  for (const DType dtype : float_dtypes) {
    const std::string types(name_of(dtype));
    register_test("conv2d", types, [dtype] {
      test_conv2d(dtype, false, small_cases, large_cases);
      test_infinite_weights(dtype, false);
      test_long_sums(dtype);
      test_part_of_images(dtype);
    });
    register_test("conv_transpose2d", types, [dtype] {
      test_conv2d(dtype, true, small_transposed_cases, large_transposed_cases);
      test_infinite_weights(dtype, true);
    });
    register_test("conv1d", types, [dtype] { test_conv1d(dtype, false); });
    register_test("conv_transpose1d", types, [dtype] { test_conv1d(dtype, true); });
  }
}

}  // namespace kernelgen::conformance
