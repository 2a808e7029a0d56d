// Products with an epilogue of products/products.json: what their references do not draw.
#include "forms_fixture.hpp"

namespace kernelgen::forms {
namespace {

using List = std::vector<Tensor>;

/// x @ w · scale + shift of [rows, terms] and [terms, columns].
Values scaled(const Values& x, const Values& w, std::size_t rows, std::size_t terms, std::size_t columns) {
  Values y(rows * columns, 0.25);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t t = 0; t < terms; ++t)
      for (std::size_t j = 0; j < columns; ++j)
        y[i * columns + j] += 0.5 * x[i * terms + t] * w[t * columns + j];
  return y;
}
const std::vector<Scalar> half_and_quarter = {0.5, 0.25};

TEST(Matmul, OfEverySizeAndLayout) {
  struct Size {
    std::size_t rows, terms, columns;
  };
  for (const auto& [rows, terms, columns] :
       {Size{1, 70, 130}, Size{130, 70, 1}, Size{3, 5, 7}, Size{130, 64, 72}}) {
    const Values x = numbers(static_cast<std::int64_t>(rows * terms)),
                 w = numbers(static_cast<std::int64_t>(terms * columns));
    const auto extent = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    for (const DType type : {DType::f8e4m3, DType::f32}) {
      const Tensor a = tensor(x, {extent(rows), extent(terms)}, type),
                   b = tensor(w, {extent(terms), extent(columns)}, type);
      // The result is f32: the sums are not rounded to the operands' type on the way.
      const Values expected = scaled(values_of(a), values_of(b), rows, terms, columns);
      expect_near(call("scaled_product", List{a, b}, half_and_quarter), expected, 2e-6);
      const Tensor b_turned = copy(b.transpose(0, 1)).transpose(0, 1),
                   a_turned = copy(a.transpose(0, 1)).transpose(0, 1);
      expect_near(call("scaled_product", List{a_turned, b_turned}, half_and_quarter), expected, 2e-6);
    }
  }
}

TEST(Matmul, OfBatchesAndOfNothing) {
  const Values x = numbers(4 * 5 * 6), w = numbers(6 * 7);
  const Tensor a = tensor(x, {4, 5, 6}, DType::f32), b = tensor(w, {6, 7}, DType::f32);
  const Values expected = scaled(x, w, 20, 6, 7);
  expect_near(call("scaled_product", List{a, b}, half_and_quarter), expected, 2e-6);
  // Slices that are no taller matrix.
  const Tensor spread = copy(a.transpose(0, 1)).transpose(0, 1);
  expect_near(call("scaled_product", List{spread, b}, half_and_quarter), expected, 2e-6);
  const Tensor zero = tensor(Values(7, 0), {7}, DType::f32);
  const Tensor result = call("linear_gelu", List{Tensor::empty(device(), {2, 3, 0}, DType::f32),
                                                 Tensor::empty(device(), {0, 7}, DType::f32), zero});
  EXPECT_EQ(result.shape(), (Shape{2, 3, 7}));
  expect_near(result, Values(42, 0), 0);
  EXPECT_EQ(call("scaled_product", List{a.narrow(0, 0, 0), b}, half_and_quarter).shape(), (Shape{0, 5, 7}));
}

TEST(Matmul, OfLongSumsIsMappedApart) {
  // A GPU splits such sums among blocks.
  constexpr std::size_t rows = 3, terms = 8192, columns = 130;
  const Values x = numbers(rows * terms), w = numbers(terms * columns);
  const Tensor a = tensor(x, {1, rows, terms}, DType::f32), b = tensor(w, {terms, columns}, DType::f32),
               row = tensor(numbers(columns), {columns}, DType::f32);
  std::vector<std::string> launched;
  device().on_launch([&](const LaunchInfo& launch) { launched.emplace_back(launch.kernel); });
  const Tensor product = call("scaled_product", List{a, b}, half_and_quarter);
  device().on_launch({});
  EXPECT_EQ(launched.back(), is_simulated() ? "kg_scaled_product_f32_mapped" : "kg_scaled_product_f32_tiled");
  expect_near(product, scaled(x, w, rows, terms, columns), 2e-5);
  Values expected = scaled(x, w, rows, terms, columns);
  const Values bias = numbers(columns);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double v = 2 * (expected[i] - 0.25) + bias[i % columns];
    expected[i] = 0.5 * v * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (v + 0.044715 * v * v * v)));
  }
  expect_near(call("linear_gelu", List{a, b, row}), expected, 2e-5);
}

TEST(Matmul, Refuses) {
  const Tensor a = tensor(numbers(6), {2, 3}, DType::f32), b = tensor(numbers(12), {3, 4}, DType::f32),
               bias = tensor(numbers(3), {3}, DType::f32);
  expect_error(Code::invalid_argument,
               {"linear_gelu: x is [2, 3], w is [2, 3]; x's last dim and w's last but one must match"},
               [&] { call("linear_gelu", List{a, a, bias}); });
  expect_error(Code::invalid_argument, {"linear_gelu", "[3]", "[2, 4]"},
               [&] { call("linear_gelu", List{a, b, bias}); });
  expect_error(Code::invalid_argument,
               {"linear_gelu: bias of shape [2, 2, 4] cannot be broadcast to that of the product, [2, 4]"},
               [&] { call("linear_gelu", List{a, b, tensor(numbers(16), {2, 2, 4}, DType::f32)}); });
  expect_error(Code::invalid_argument, {"scaled_product: 2 tensors and 0 numbers given; it takes 2 and 2"},
               [&] { call("scaled_product", List{a, b}); });
}

}  // namespace
}  // namespace kernelgen::forms
