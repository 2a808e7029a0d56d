// Operations that manifests/forms.json describes, called by name: every dtype, layouts, lengths of each path of the
// engines, graphs, errors.
#include <functional>

#include "forms_fixture.hpp"

namespace kernelgen::forms {
namespace {

/// Reduces the middle dim of [outer, n, inner].
Values reduced(const Values& x, std::int64_t outer, std::int64_t n, std::int64_t inner, double identity,
               const std::function<double(double, double)>& add,
               const std::function<double(double)>& finish) {
  Values results;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      double total = identity;
      for (std::int64_t k = 0; k < n; ++k)
        total = add(total, x[static_cast<std::size_t>((o * n + k) * inner + i)]);
      results.push_back(finish(total));
    }
  return results;
}

Values norms(const Values& x, std::int64_t outer, std::int64_t n, std::int64_t inner) {
  return reduced(
      x, outer, n, inner, 0, [](double total, double v) { return total + v * v; },
      [](double total) { return std::sqrt(total); });
}

TEST(Reduce, AnyDims) {
  const Values x = numbers(2 * 70 * 33);
  for (const DType type : {DType::f16, DType::f32, DType::f64}) {
    const Tensor t = tensor(x, {2, 70, 33}, type);
    const auto norm = [&](std::initializer_list<std::int64_t> dims, bool keeps = false) {
      return reduce("norm2", t, {dims.begin(), dims.size()}, keeps);
    };
    expect_near(norm({2}), norms(x, 140, 33, 1), tolerance(type));
    expect_near(norm({1}), norms(x, 2, 70, 33), tolerance(type));
    expect_near(norm({0}), norms(x, 1, 2, 70 * 33), tolerance(type));
    expect_near(norm({1, -1}), norms(x, 2, 70 * 33, 1), tolerance(type));
    expect_near(norm({0, 1, 2}), norms(x, 1, 2 * 70 * 33, 1), tolerance(type));
    expect_near(call("norm2", {{t}}), norms(x, 1, 2 * 70 * 33, 1), tolerance(type));
    expect_near(norm({}), norms(x, 2 * 70 * 33, 1, 1), tolerance(type));
    EXPECT_EQ(norm({1}, true).shape(), (Shape{2, 1, 33}));
    EXPECT_EQ(norm({1}).shape(), (Shape{2, 33}));
    // A transposed and a sliced view.
    expect_near(
        reduce("norm2", t.transpose(0, 2), std::vector<std::int64_t>{2}),
        [&] {
          Values turned;
          for (std::size_t i = 0; i < 33; ++i)
            for (std::size_t k = 0; k < 70; ++k) turned.push_back(norms(x, 1, 2, 70 * 33)[k * 33 + i]);
          return turned;
        }(),
        tolerance(type));
    expect_near(reduce("norm2", t.narrow(0, 1, 1), std::vector<std::int64_t>{0, 1}),
                norms({x.begin() + 70 * 33, x.end()}, 1, 70, 33), tolerance(type));
  }
}

TEST(Reduce, FewLongResultsAreSplit) {
  const std::int64_t n = is_simulated() ? 70'001 : 3'000'001;
  const Values x = numbers(n);
  expect_near(call("norm2", {{tensor(x, {n}, DType::f32)}}), norms(x, 1, n, 1), 2e-6);
}

TEST(Reduce, EveryPartIsAnExpression) {
  const Values x = numbers(64 * 40);
  const auto expected = reduced(
      x, 64, 40, 1, -1e30, [](double a, double v) { return std::max(a, std::abs(v)); },
      [](double total) { return total + 40.0 / 1024; });
  expect_near(reduce("span_of_powers", tensor(x, {64, 40}, DType::f32), std::vector<std::int64_t>{1}),
              expected, 1e-6);
  Values whole, positive;
  for (const double v : x) whole.push_back(std::trunc(v));
  const Tensor integers = tensor(whole, {64, 40}, DType::i32);
  // 40 / 1024 of integers is 0.
  expect_near(reduce("span_of_powers", integers, std::vector<std::int64_t>{1}),
              reduced(
                  whole, 64, 40, 1, 0, [](double a, double v) { return std::max(a, std::abs(v)); },
                  [](double total) { return total; }),
              0);
  const Tensor counts = reduce("positive", integers, std::vector<std::int64_t>{0});
  EXPECT_EQ(counts.dtype(), DType::u32);
  expect_near(counts,
              reduced(
                  whole, 1, 64, 40, 0, [](double a, double v) { return a + (v > 0 ? 1 : 0); },
                  [](double total) { return total; }),
              0);
  const Tensor mean = call("ratio", {{tensor(whole, {64 * 40}, DType::i64)}});
  EXPECT_EQ(mean.dtype(), DType::f32);
  double sum = 0;
  for (const double v : whole) sum += v;
  expect_near(mean, {sum / (64 * 40)}, 1e-6);
}

TEST(Reduce, OfNothingIsTheIdentityFinished) {
  const Tensor none = Tensor::empty(device(), {3, 0}, DType::f32);
  expect_near(reduce("norm2", none, std::vector<std::int64_t>{1}), {0, 0, 0}, 0);
  EXPECT_EQ(reduce("norm2", none, std::vector<std::int64_t>{0}).shape(), Shape{0});
  expect_near(call("first_sum", {{none}}), {0}, 0);
}

TEST(Reduce, AFunctorOfTheHeader) {
  const Values x = numbers(5 * 77);
  expect_near(
      reduce("first_sum", tensor(x, {5, 77}, DType::f32), std::vector<std::int64_t>{1}),
      reduced(x, 5, 77, 1, 0, [](double a, double v) { return a + v; }, [](double t) { return t; }), 1e-6);
}

TEST(Reduce, Refuses) {
  const Tensor x = tensor(numbers(6), {2, 3}, DType::f32);
  const std::vector<std::int64_t> last = {1}, beyond = {2}, twice = {1, -1};
  expect_error(Code::not_found, {"operation 'norm3'", "did you mean 'norm2'?"},
               [&] { reduce("norm3", x, last); });
  expect_error(Code::invalid_argument, {"norm2", "dim 2"}, [&] { reduce("norm2", x, beyond); });
  expect_error(Code::invalid_argument, {"norm2", "given twice"}, [&] { reduce("norm2", x, twice); });
  expect_error(Code::invalid_argument, {"norm2: no kernel for dtype i64; it accepts f16 f32 f64"},
               [&] { reduce("norm2", to_dtype(x, DType::i64), last); });
  expect_error(Code::invalid_argument, {"own_softmax: not a reduction"},
               [&] { reduce("own_softmax", x, last); });
  expect_error(Code::invalid_argument, {"norm2: 2 tensors and 0 numbers given"},
               [&] { call("norm2", {{x, x}}); });
}

Values softmax(const Values& x, std::size_t n) {
  Values y;
  for (std::size_t row = 0; row < x.size(); row += n) {
    double top = -1e30, total = 0;
    for (std::size_t i = 0; i < n; ++i) top = std::max(top, x[row + i]);
    for (std::size_t i = 0; i < n; ++i) total += std::exp(x[row + i] - top);
    for (std::size_t i = 0; i < n; ++i) y.push_back(std::exp(x[row + i] - top) / total);
  }
  return y;
}

TEST(Row, SoftmaxOfEveryLength) {
  // One element, less than a pack, misaligned, in registers, read again.
  for (const std::int64_t n : {1, 3, 8, 127, 1000, 5001, 20'000}) {
    const std::int64_t rows = n > 4000 ? 2 : 9;
    const Values x = numbers(rows * n);
    for (const DType type : {DType::f16, DType::f32, DType::f64}) {
      SCOPED_TRACE(testing::Message() << n << " elements of " << name_of(type));
      expect_near(call("own_softmax", {{tensor(x, {rows, n}, type)}}),
                  softmax(x, static_cast<std::size_t>(n)), tolerance(type));
    }
  }
}

TEST(Row, LayoutsAndInPlace) {
  const Values x = numbers(6 * 10);
  const Tensor t = tensor(x, {6, 10}, DType::f32);
  const Tensor turned = call("own_softmax", {{t.transpose(0, 1)}});
  EXPECT_EQ(turned.shape(), (Shape{10, 6}));
  Values transposed;
  for (std::size_t i = 0; i < 10; ++i)
    for (std::size_t k = 0; k < 6; ++k) transposed.push_back(x[k * 10 + i]);
  expect_near(turned, softmax(transposed, 6), 2e-6);
  call("own_softmax", {{t}}, {}, {.out = &t});
  expect_near(t, softmax(x, 10), 2e-6);
  EXPECT_EQ(call("own_softmax", {{Tensor::empty(device(), {0, 5}, DType::f32)}}).shape(), (Shape{0, 5}));
}

/// Weights and biases of `step` elements from one row to the next.
Values layer_norm(const Values& x, std::size_t n, const Values& weight, const Values& bias, std::size_t step,
                  double eps) {
  Values y;
  for (std::size_t row = 0; row * n < x.size(); ++row) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < n; ++i) mean += x[row * n + i] / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
      variance += (x[row * n + i] - mean) * (x[row * n + i] - mean) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i)
      y.push_back((x[row * n + i] - mean) / std::sqrt(variance + eps) * weight[row * step + i] +
                  bias[row * step + i]);
  }
  return y;
}

TEST(Row, OperandsOfOneRowAndOfEachRow) {
  for (const std::size_t n : {5u, 64u, 600u, 10'000u}) {
    const auto length = static_cast<std::int64_t>(n);
    const Values x = numbers(3 * length), weight = numbers(length), all = numbers(3 * length);
    for (const DType type : {DType::f16, DType::f32}) {
      SCOPED_TRACE(testing::Message() << n << " elements of " << name_of(type));
      const Tensor t = tensor(x, {3, length}, type), w = tensor(weight, {length}, type);
      const Tensor each = tensor(all, {3, length}, type);
      const double bound = type == DType::f16 ? 4e-3 : 1e-5;
      expect_near(call("own_layer_norm", {{t, w, w}}, {{1e-5}}), layer_norm(x, n, weight, weight, 0, 1e-5),
                  bound);
      expect_near(call("own_layer_norm", {{t, each, each}}, {{1e-5}}), layer_norm(x, n, all, all, n, 1e-5),
                  bound);
      expect_near(call("own_layer_norm", {{t, w, w.reshape({1, length})}}, {{1e-5}}),
                  layer_norm(x, n, weight, weight, 0, 1e-5), bound);
    }
  }
}

TEST(Row, FewLongRowsAreSplit) {
  const std::int64_t n = is_simulated() ? 70'001 : 700'000;
  for (const std::int64_t rows : {1, 3}) {
    const Values x = numbers(rows * n), weight = numbers(n), bias = numbers(rows * n);
    for (const DType type : {DType::f16, DType::f32}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << name_of(type));
      const Tensor t = tensor(x, {rows, n}, type), w = tensor(weight, {n}, type),
                   b = tensor(bias, {rows, n}, type);
      expect_near(call("long_softmax", {{t}}), softmax(x, static_cast<std::size_t>(n)), tolerance(type));
      Values expected = layer_norm(x, static_cast<std::size_t>(n), weight, weight, 0, 1e-5);
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] += bias[i] - weight[i % static_cast<std::size_t>(n)];
      expect_near(call("long_layer_norm", {{t, w, b}}, {{1e-5}}), expected, type == DType::f16 ? 8e-3 : 1e-5);
    }
  }
}

TEST(Row, SharedInputsAreOneRow) {
  const Tensor x = tensor(numbers(6), {2, 3}, DType::f32), w = tensor(numbers(3), {3}, DType::f32);
  EXPECT_EQ(call("long_layer_norm", {{x, w, x}}, {{1e-5}}).shape(), (Shape{2, 3}));
  expect_error(Code::invalid_argument,
               {"long_layer_norm: weight is [2, 3]; it has to be [3], one row for all of [2, 3]"},
               [&] { call("long_layer_norm", {{x, x, x}}, {{1e-5}}); });
}

TEST(Row, ReductionsOfExpressionsAndNumbers) {
  const std::size_t n = 50;
  const Values x = numbers(4 * n);
  Values expected;
  for (std::size_t row = 0; row < 4; ++row) {
    const auto begin = x.begin() + static_cast<std::ptrdiff_t>(row * n);
    const auto [low, high] = std::minmax_element(begin, begin + n);
    double far = 0;
    for (std::size_t i = 0; i < n; ++i) far += std::abs(begin[static_cast<std::ptrdiff_t>(i)] - *low);
    for (std::size_t i = 0; i < n; ++i)
      expected.push_back((begin[static_cast<std::ptrdiff_t>(i)] - *low) / (*high - *low) + far / n);
  }
  expect_near(call("spread", {{tensor(x, {4, n}, DType::f32)}}), expected, 1e-5);
}

TEST(Row, Refuses) {
  const Tensor x = tensor(numbers(6), {2, 3}, DType::f32), w = tensor(numbers(4), {4}, DType::f32);
  expect_error(Code::invalid_argument, {"own_layer_norm: 1 tensors and 0 numbers given; it takes 3 and 1"},
               [&] { call("own_layer_norm", {{x}}); });
  expect_error(Code::invalid_argument, {"own_layer_norm", "[4]", "[2, 3]"},
               [&] { call("own_layer_norm", {{x, w, w}}, {{1e-5}}); });
  expect_error(Code::invalid_argument, {"own_layer_norm: inputs are f32 and f16"},
               [&] { call("own_layer_norm", {{x, to_dtype(x, DType::f16), x}}, {{1e-5}}); });
  expect_error(Code::invalid_argument, {"own_softmax: x has rank 0"},
               [&] { call("own_softmax", {{tensor({1}, {}, DType::f32)}}); });
  expect_error(Code::invalid_argument, {"own_softmax: no kernel for dtype i64; it accepts f16 f32 f64"},
               [&] { call("own_softmax", {{to_dtype(x, DType::i64)}}); });
}

TEST(Forms, RunInGraphs) {
  const Values x = numbers(8 * 100);
  const Tensor t = tensor(x, {8, 100}, DType::f32);
  Tensor rows, norm;
  const Graph graph = device().capture([&] {
    rows = call("own_softmax", {{t}});
    norm = reduce("norm2", rows, std::vector<std::int64_t>{1});
  });
  graph.launch();
  const Values y = softmax(x, 100);
  expect_near(rows, y, 2e-6);
  expect_near(norm, norms(y, 8, 100, 1), 2e-6);
}

}  // namespace
}  // namespace kernelgen::forms
