// Operations with an "index": gathers, stencils and scatters.
#include "forms_fixture.hpp"

namespace kernelgen::forms {
namespace {

template <class Id>
Tensor ids(const std::vector<Id>& values) {
  return Tensor::from_vector<Id>(device(), values, {static_cast<std::int64_t>(values.size())});
}

TEST(Index, Gathers) {
  const Values x = numbers(7 * 33);
  Values expected;
  for (const std::size_t row : {3u, 0u, 6u, 3u})
    for (std::size_t j = 0; j < 33; ++j) expected.push_back(2 * x[row * 33 + j]);
  for (const DType type : {DType::f16, DType::f32}) {
    const Tensor t = tensor(x, {7, 33}, type);
    expect_near(call("take", {{t, ids<std::int64_t>({3, 0, 6, 3})}}, {{2}}), expected, 0);
    expect_near(call("take", {{t, ids<std::uint32_t>({3, 0, 6, 3})}}, {{2}}), expected, 0);
    const Tensor turned = tensor(x, {33, 7}, type).transpose(0, 1);
    expect_near(call("take", {{turned, ids<std::uint32_t>({6, 2})}}, {{1}}),
                values_of(call("take", {{copy(turned), ids<std::uint32_t>({6, 2})}}, {{1}})), 0);
  }
  EXPECT_EQ(call("take", {{tensor(x, {7, 33}, DType::f32), ids<std::uint32_t>({})}}, {{1}}).shape(),
            (Shape{0, 33}));
}

TEST(Index, WindowsCountWhatIsInside) {
  const Tensor x = tensor({1, 2, 3, 4}, {1, 2, 2}, DType::f32);
  const auto means = [&](std::int64_t size, std::int64_t stride, std::int64_t padding) {
    return call("power_pool", {{x}}, {{size, stride, padding, 1.0}});
  };
  expect_near(means(2, 1, 1), {1, 1.5, 2, 2, 2.5, 3, 3, 3.5, 4}, 1e-6);
  expect_near(means(1, 2, 0), {1}, 1e-6);
  EXPECT_EQ(means(2, 1, 1).shape(), (Shape{1, 3, 3}));
  // A window outside of x has no value: 0 / 0.
  EXPECT_TRUE(std::isnan(values_of(means(1, 1, 1))[0]));
  test::expect_error(Code::invalid_argument, {"power_pool", "divides 2 by 0"}, [&] { means(2, 0, 1); });
  const Tensor integers = to_dtype(tensor({5, 1, 7}, {3}, DType::f32), DType::i32);
  expect_near(call("largest_near", {{integers}}, {{1}}), {5, 7, 7}, 0);
}

/// What the wait for a call reports; the call itself gives 0 for what is outside.
TEST(Index, ReportsIndicesOutside) {
  const Tensor x = tensor({1, 2, 3, 4}, {2, 2}, DType::f32);
  const Tensor taken = call("take", {{x, ids<std::int64_t>({1, 2, -1})}}, {{1}});
  test::expect_error(
      Code::index_out_of_range,
      {"take: index 2 of x for element 2 (in row-major order, counted from 0) is outside a dim of size 2; "
       "what was read for it is 0"},
      [] { device().synchronize(); });
  expect_near(taken, {3, 4, 0, 0, 0, 0}, 0);

  const Tensor put = call("put_rows", {{x, ids<std::int64_t>({1, -3}), x}});
  test::expect_error(
      Code::index_out_of_range,
      {"put_rows: index -3 of y for element 2 ", "outside a dim of size 2; nothing was written for it"},
      [&] { put.to_host(); });
  expect_near(put, {1, 2, 1, 2}, 0);
  const Tensor wrong = ids<std::uint32_t>({5});
  const Graph graph = device().capture([&] { call("take", {{x, wrong}}, {{1}}); });
  graph.launch();
  test::expect_error(Code::index_out_of_range, {"take: index 5 of x"}, [] { device().synchronize(); });
  device().synchronize();  // reported once
}

TEST(Index, StencilsReadTheEdgeOrWrap) {
  const std::int64_t rows = 40, columns = 300;
  const Values x = numbers(rows * columns);
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return x[static_cast<std::size_t>(std::clamp<std::int64_t>(i, 0, rows - 1) * columns +
                                      std::clamp<std::int64_t>(j, 0, columns - 1))];
  };
  Values blurred, circle;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      blurred.push_back((at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1)) / 4);
  expect_near(call("blur", {{tensor(x, {rows, columns}, DType::f32)}}), blurred, 1e-6);
  for (std::size_t i = 0; i < 5; ++i) circle.push_back(x[(i + 2) % 5] - x[(i + 2) % 5]);
  expect_near(call("circle", {{tensor({x.begin(), x.begin() + 5}, {5}, DType::f32)}}), circle, 0);
  expect_near(call("circle", {{tensor({1, 2}, {2}, DType::f32)}}), {1, -1}, 0);
}

TEST(Index, ScattersAndAdds) {
  std::vector<std::uint8_t> values;
  Values counts(10);
  for (int i = 0; i < 5000; ++i) {
    values.push_back(static_cast<std::uint8_t>(i * 7 % 13));
    if (values.back() < 10) counts[values.back()] += 1;  // others are outside
  }
  expect_near(call("histogram", {{ids<std::uint8_t>(values)}}, {{10}}), counts, 0);
  expect_near(call("histogram", {{ids<std::int32_t>({})}}, {{3}}), {0, 0, 0}, 0);
}

TEST(Index, ScattersBeginWithAnInput) {
  const Values base = numbers(5 * 20), x = numbers(2 * 20);
  Values expected = base;
  for (std::size_t j = 0; j < 20; ++j) {
    expected[4 * 20 + j] = x[j];
    expected[1 * 20 + j] = x[20 + j];
  }
  for (const DType type : {DType::f16, DType::f32})
    expect_near(call("put_rows",
                     {{tensor(base, {5, 20}, type), ids<std::int64_t>({4, 1}), tensor(x, {2, 20}, type)}}),
                expected, 0);
}

TEST(Index, Refuses) {
  const Tensor x = tensor(numbers(6), {6}, DType::f32);
  test::expect_error(Code::invalid_argument, {"take: y_1 \"x[1]\": x has rank 1, so no dim 1"},
                     [&] { call("take", {{x, ids<std::int64_t>({0})}}, {{1}}); });
  test::expect_error(Code::invalid_argument, {"circle: requires rank(x) == 1; x is [2, 3]"},
                     [&] { call("circle", {{x.reshape({2, 3})}}); });
  test::expect_error(Code::invalid_argument, {"histogram", "extent 0 is -1"},
                     [&] { call("histogram", {{ids<std::uint8_t>({1})}}, {{-1}}); });
}

}  // namespace
}  // namespace kernelgen::forms
