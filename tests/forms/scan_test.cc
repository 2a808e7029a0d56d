// Operations with a "scan": any dim, parts of long lists, order, exclusive and reverse ones.
#include <functional>

#include "forms_fixture.hpp"

namespace kernelgen::forms {
namespace {

/// The scan along the middle dim of [outer, n, inner].
Values scanned(const Values& x, std::int64_t outer, std::int64_t n, std::int64_t inner, double identity,
               bool exclusive, bool reverse, const std::function<double(double, double)>& combine) {
  Values y(x.size());
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      double total = identity;
      for (std::int64_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>((o * n + (reverse ? n - 1 - k : k)) * inner + i);
        const double next = combine(total, x[at]);
        y[at] = exclusive ? total : next;
        total = next;
      }
    }
  return y;
}

Values sums(const Values& x, std::int64_t outer, std::int64_t n, std::int64_t inner) {
  return scanned(x, outer, n, inner, 0, false, false, [](double a, double b) { return a + b; });
}

TEST(Scan, AnyDim) {
  const Values x = numbers(3 * 70 * 5);
  for (const DType type : {DType::f16, DType::f32}) {
    const Tensor t = tensor(x, {3, 70, 5}, type);
    expect_near(call("own_cumsum", {{t}}, {{0}}), sums(x, 1, 3, 350), tolerance(type));
    expect_near(call("own_cumsum", {{t}}, {{1}}), sums(x, 3, 70, 5), tolerance(type));
    expect_near(call("own_cumsum", {{t}}, {{-1}}), sums(x, 210, 5, 1), tolerance(type));
    const Tensor turned = t.transpose(0, 2);
    expect_near(call("own_cumsum", {{turned}}, {{0}}), values_of(call("own_cumsum", {{copy(turned)}}, {{0}})),
                0);
  }
}

TEST(Scan, LongListsAreCutIntoParts) {
  const std::int64_t n = is_simulated() ? 40'003 : 1'000'003;
  const Values x = numbers(n);
  expect_near(call("own_cumsum", {{tensor(x, {n}, DType::f32)}}, {{0}}), sums(x, 1, n, 1), 1e-4);
  const Values columns = numbers(9001 * 2);
  expect_near(call("own_cumsum", {{tensor(columns, {9001, 2}, DType::f32)}}, {{0}}),
              sums(columns, 1, 9001, 2), 1e-4);
}

TEST(Scan, OfIntegersWraps) {
  const Tensor x = Tensor::from_vector<std::int32_t>(device(), {2'000'000'000, 2'000'000'000, 5}, {3});
  EXPECT_EQ(call("own_cumsum", {{x}}, {{0}}).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{2'000'000'000, -294'967'296, -294'967'291}));
}

TEST(Scan, CombinesInOrder) {
  for (const std::int64_t n : {1, 2, 63, 300, 5000}) {
    const Values x = numbers(4 * n);
    expect_near(call("last_known", {{tensor(x, {4, n}, DType::f32)}}, {{1}}),
                scanned(x, 4, n, 1, 0, true, false, [](double a, double b) { return b != 0 ? b : a; }), 0);
  }
}

TEST(Scan, Reverse) {
  const Values x = numbers(2 * 100 * 3);
  Values expected =
      scanned(x, 2, 100, 3, -1e30, false, true, [](double a, double b) { return std::max(a, std::abs(b)); });
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += 100 - static_cast<double>(i / 3 % 100);
  expect_near(call("greatest_after", {{tensor(x, {2, 100, 3}, DType::f32)}}, {{1}}), expected, 1e-6);
}

TEST(Scan, OfNothing) {
  EXPECT_EQ(call("own_cumsum", {{Tensor::empty(device(), {0, 3}, DType::f32)}}, {{0}}).shape(),
            (Shape{0, 3}));
}

TEST(Scan, Refuses) {
  const Tensor x = tensor(numbers(6), {2, 3}, DType::f32);
  test::expect_error(Code::invalid_argument,
                     {"own_cumsum: d \"axis(dim, x)\": dim 2 is out of range for x, which has rank 2"},
                     [&] { call("own_cumsum", {{x}}, {{2}}); });
  test::expect_error(Code::invalid_argument, {"own_cumsum: 1 tensors and 0 numbers given; it takes 1 and 1"},
                     [&] { call("own_cumsum", {{x}}); });
}

}  // namespace
}  // namespace kernelgen::forms
