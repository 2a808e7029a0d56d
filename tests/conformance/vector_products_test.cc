// Products of one vector with several matrices: those of separate calls, in one launch where rows allow 16-byte accesses.
#include "kernelgen/vector_products.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "kernelgen/ops.hpp"
#include "quantized_case.hpp"
#include "reference/block_layout.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

/// Small integers, whose products' sums are exact in any order.
Tensor numbers(DType dtype, std::int64_t count, std::uint64_t seed) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<Real>(random_bits(seed + static_cast<std::uint64_t>(i)) % 7) - 3);
  return upload(reference::make_elements(dtype, values));
}

/// [rows, n], whose rows are `gap` elements longer in memory and begin `first` elements after its start.
Tensor matrix(DType dtype, std::int64_t rows, std::int64_t n, std::int64_t gap, std::int64_t first,
              std::uint64_t seed) {
  return numbers(dtype, first + rows * (n + gap), seed).with_layout({{rows, n}, {n + gap, 1}, first});
}

Tensor result(std::int64_t rows) { return Tensor::zeros(device(), {rows}, DType::f32); }

Tensor by_matmul(const Tensor& x, const Tensor& weights) {
  return matmul(x.reshape({1, x.elements()}), weights.transpose(0, 1)).reshape({weights.shape()[0]});
}

template <class Call>
int launches(Call call) {
  int count = 0;
  const Device used = device();
  used.on_launch([&](const LaunchInfo&) { ++count; });
  call();
  used.on_launch({});
  return count;
}

struct Rows {
  std::int64_t n, gap, first;
  bool are_packs;
};
constexpr Rows kinds_of_rows[] = {{256, 0, 0, true}, {2048, 8, 16, true}, {24, 16, 0, true},
                                  {60, 4, 0, true},  {1030, 10, 8, true}, {64, 3, 0, false},
                                  {64, 0, 5, false}};

void test_each(DType dtype) {
  for (const Rows& rows : kinds_of_rows)
    for (const std::vector<std::int64_t>& counts :
         {std::vector<std::int64_t>{5}, {64, 17}, {33, 1, 70}, {0, 9, 3}, {300, 40, 40}}) {
      const Tensor x = numbers(DType::f32, rows.n, 11);
      std::vector<VectorProduct> products;
      for (const std::int64_t count : counts)
        products.push_back(
            {matrix(dtype, count, rows.n, rows.gap, rows.first, 100 * products.size()), result(count)});
      const int count = launches([&] { multiply_vector(x, products); });
      EXPECT_TRUE(!rows.are_packs || count == 1) << count;
      for (const VectorProduct& each : products)
        EXPECT_EQ(each.out.to_host(), by_matmul(x, each.weights).to_host())
            << each.weights.layout().to_string() << " of " << counts.size();
    }
  const Tensor none = Tensor::zeros(device(), {0}, DType::f32), y = numbers(DType::f32, 4, 3);
  multiply_vector(none, std::vector<VectorProduct>{{Tensor::zeros(device(), {4, 0}, dtype), y}});
  EXPECT_EQ(y.to_host(), result(4).to_host());
}

/// Quantized rows of that length, up to how many are tested, and whether one launch computes products with them.
struct Blocks {
  RowKind kind;
  std::int64_t n, most_rows;
  bool is_together;
};

std::vector<Blocks> kinds_of_blocks(DType format) {
  const std::int64_t block = block_elements(format);
  return {{RowKind::contiguous, block, 400, true},
          {RowKind::offset, 2304, 110, true},
          {RowKind::sliced, 3 * block, 110, false},
          {RowKind::contiguous, 16640, 8, false}};
}

Tensor blocks(DType format, const Blocks& of, std::int64_t rows, std::uint64_t seed) {
  return make_block_input(of.kind, {rows, of.n}, moderate_blocks(format, 700, seed)).tensor;
}

/// Bit for bit: each row is multiplied as by itself.
void test_each_of_blocks(DType format) {
  for (const Blocks& of : kinds_of_blocks(format))
    for (const std::vector<std::int64_t>& counts :
         {std::vector<std::int64_t>{5}, {64, 17}, {33, 1, 70}, {0, 5, 3}, {300, 0, 40}, {0, 0}}) {
      if (std::reduce(counts.begin(), counts.end()) > of.most_rows) continue;
      const Tensor x = upload(moderate(DType::f32, of.n, 11));
      std::vector<VectorProduct> products;
      for (const std::int64_t count : counts)
        products.push_back({blocks(format, of, count, 100 * products.size()), result(count)});
      const int count = launches([&] { multiply_vector(x, products); });
      EXPECT_TRUE(!of.is_together || count <= 1) << count;
      for (const VectorProduct& each : products)
        EXPECT_EQ(each.out.to_host(), quantized_matmul(x, each.weights).to_host())
            << each.weights.layout().to_string() << " of " << counts.size();
    }
}

using Function = Tensor (*)(const Tensor&, const Tensor&, const CallOptions&);
struct Named {
  Gate gate;
  Function function;
};
constexpr Named functions[] = {{Gate::silu, silu_mul},
                               {Gate::gelu, gelu_mul},
                               {Gate::gelu_erf, gelu_erf_mul},
                               {Gate::gelu_quick, gelu_quick_mul},
                               {Gate::relu, relu_mul}};

/// Results of a gated product, which round the gate's function of `a` and its product with `b` otherwise.
void expect_gated(const Named& named, const Tensor& y, const Tensor& a, const Tensor& b) {
  const Elements wanted = download(named.function(a, b, {}));
  std::vector<Real> exact, slack;
  for (std::int64_t i = 0; i < wanted.count(); ++i) {
    exact.push_back(wanted.as<float>()[static_cast<std::size_t>(i)]);
    slack.push_back(std::abs(exact.back()) * 0x1p-21L);
  }
  expect_within("gated product of " + std::to_string(wanted.count()), download(y), exact, slack);
}

void test_gated_blocks(DType format) {
  for (const Blocks& of : kinds_of_blocks(format))
    for (const Named& named : functions)
      for (const std::int64_t count : {0, 1, 34, 301}) {
        if (count > of.most_rows) continue;
        const Tensor x = upload(moderate(DType::f32, of.n, 5));
        const Tensor gates = blocks(format, of, count, 7), weights = blocks(format, of, count, 70000);
        Tensor y;
        const int launched = launches([&] { y = multiply_gated(x, gates, weights, named.gate); });
        EXPECT_TRUE(!of.is_together || launched <= 1) << launched;
        expect_gated(named, y, quantized_matmul(x, gates), quantized_matmul(x, weights));
      }
}

void test_gated(DType dtype) {
  for (const Rows& rows : kinds_of_rows)
    for (const Named& named : functions)
      for (const std::int64_t count : {1, 34, 301}) {
        const Tensor x = numbers(DType::f32, rows.n, 5);
        const Tensor gates = matrix(dtype, count, rows.n, rows.gap, rows.first, 7),
                     weights = matrix(dtype, count, rows.n, rows.gap, rows.first, 70000);
        Tensor y;
        const int launched = launches([&] { y = multiply_gated(x, gates, weights, named.gate); });
        EXPECT_TRUE(!rows.are_packs || launched == 1) << launched;
        expect_gated(named, y, by_matmul(x, gates), by_matmul(x, weights));
      }
}

TEST(VectorProductsError, OperandsThatDoNotFit) {
  const auto zeros = [](const Shape& shape, DType dtype) { return Tensor::zeros(device(), shape, dtype); };
  const Tensor x = zeros({8}, DType::f32), w = zeros({4, 8}, DType::f16), y = result(4);
  const auto refused = [&](std::initializer_list<std::string_view> parts, const Tensor& vector,
                           std::vector<VectorProduct> products) {
    expect_error(Code::invalid_argument, parts, [&] { multiply_vector(vector, products); });
  };
  refused({"0 products", "1 to 3"}, x, {});
  refused({"4 products"}, x, {{w, y}, {w, y}, {w, y}, {w, y}});
  refused({"x is f16 [8]"}, zeros({8}, DType::f16), {{w, y}});
  refused({"x is f32 [1, 8]"}, x.reshape({1, 8}), {{w, y}});
  refused({"f16 and bf16"}, x, {{w, y}, {zeros({4, 8}, DType::bf16), result(4)}});
  refused({"q4_0 and q8_0"}, zeros({32}, DType::f32),
          {{Tensor::empty(device(), {4, 32}, DType::q4_0), y},
           {Tensor::empty(device(), {4, 32}, DType::q8_0), result(4)}});
  refused({"weights are [4, 9]", "x [8]"}, x, {{zeros({4, 9}, DType::f16), y}});
  refused({"out is f32 [3]"}, x, {{w, result(3)}});
  refused({"overlaps"}, x, {{w, y}, {w, y}});
  refused({"default-constructed Tensor"}, x, {{w, Tensor()}});
  expect_error(Code::invalid_argument, {"multiply_gated", "[4, 8]", "[3, 8]"},
               [&] { multiply_gated(x, w, zeros({3, 8}, DType::f16), Gate::silu); });
  expect_error(Code::invalid_argument, {"multiply_gated", "f32"},
               [&] { multiply_gated(x, zeros({4, 8}, DType::f32), w, Gate::silu); });
}

}  // namespace

void register_vector_products_tests() {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    register_test("vector_products", std::string(name_of(dtype)), [dtype] { test_each(dtype); });
    register_test("vector_products", std::string(name_of(dtype)) + "_gated", [dtype] { test_gated(dtype); });
  }
  for (const DType format : reference::block_formats) {
    register_test("vector_products", std::string(name_of(format)), [=] { test_each_of_blocks(format); });
    register_test("vector_products", std::string(name_of(format)) + "_gated",
                  [=] { test_gated_blocks(format); });
  }
}

}  // namespace kernelgen::conformance
