// solve_triangular: lower and upper matrices of sizes on both sides of a panel's, right-hand sides on both sides of a strip's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

struct Case {
  std::int64_t count, n, columns;
  bool is_upper = false, has_unit_diagonal = false;
  Kind kind = Kind::contiguous;
};

Real fraction(std::uint64_t stream) { return std::ldexp(static_cast<Real>(random_bits(stream) >> 11), -53); }

/// Matrices whose solutions stay of moderate size, and NaN where they are not read. Small ones of another layout than contiguous
/// are full of numbers of either sign between 0.5 and 1.
Input matrices(const Case& c) {
  std::vector<Real> values;
  const bool is_full = c.kind != Kind::contiguous;
  for (std::int64_t i = 0; i < c.count * c.n * c.n; ++i) {
    const std::int64_t r = i / c.n % c.n, t = i % c.n;
    const Real x = fraction(static_cast<std::uint64_t>(i) * 3 + 1), sign = i % 3 == 1 ? -1 : 1;
    const bool is_read = r == t ? !c.has_unit_diagonal : c.is_upper ? t > r : t < r;
    if (is_full)
      values.push_back(sign * (0.5L + x / 2));
    else if (!is_read)
      values.push_back(std::numeric_limits<Real>::quiet_NaN());
    else
      values.push_back(sign * (r == t ? 1 + x : 2 * x / static_cast<Real>(c.n)));
  }
  if (values.empty()) values.push_back(1);
  return make_input(c.kind, {c.count, c.n, c.n}, reference::make_elements(DType::f32, values));
}

Input right_sides(const Case& c) {
  std::vector<Real> values;
  for (std::uint64_t i = 0; i < 4001; ++i) values.push_back(2 * fraction(i * 7 + 2) - 1);
  return make_input(c.kind, {c.count, c.n, c.columns}, reference::make_elements(DType::f32, values));
}

/// Substitution in long double. A solution's error is those of the ones before it, and some roundings of each product.
Approximation solve(const Case& c, const Input& a, const Input& b) {
  const Real u = 0x1p-24L;
  Approximation all;
  const auto size = static_cast<std::size_t>(c.count * c.n * c.columns);
  all.value.resize(size);
  all.error.resize(size);
  for (std::int64_t m = 0; m < c.count; ++m)
    for (std::int64_t column = 0; column < c.columns; ++column)
      for (std::int64_t i = 0; i < c.n; ++i) {
        const auto row = [&](std::int64_t k) { return c.is_upper ? c.n - 1 - k : k; };
        const auto at = [&](std::int64_t k) {
          return static_cast<std::size_t>((m * c.n + row(k)) * c.columns + column);
        };
        Real rest = real_at(b.elements, static_cast<std::int64_t>(at(i))), sizes = std::fabs(rest), error = 0;
        for (std::int64_t k = 0; k < i; ++k) {
          const Real factor = real_at(a.elements, (m * c.n + row(i)) * c.n + row(k));
          rest -= factor * all.value[at(k)];
          sizes += std::fabs(factor * all.value[at(k)]);
          error += std::fabs(factor) * all.error[at(k)];
        }
        const Real diagonal =
            c.has_unit_diagonal ? 1 : real_at(a.elements, (m * c.n + row(i)) * c.n + row(i));
        all.value[at(i)] = rest / diagonal;
        all.error[at(i)] = (error + u * static_cast<Real>(i + 4) * sizes) / std::fabs(diagonal) +
                           4 * u * std::fabs(rest / diagonal);
      }
  return all;
}

void check(const Case& c) {
  const Input a = matrices(c), b = right_sides(c);
  const std::string what =
      "solve_triangular of " + a.tensor.layout().to_string() + " and " + b.tensor.layout().to_string();
  expect_call(what, DType::f32, {c.count, c.n, c.columns}, solve(c, a, b), [&](const CallOptions& options) {
    return solve_triangular(a.tensor, b.tensor, c.is_upper, c.has_unit_diagonal, options);
  });
}

void test_solve() {
  for (const bool is_upper : {false, true})
    for (const std::int64_t n : {1, 5, 16, 17, 64, 65, 130, 300})
      for (const std::int64_t columns : {1, 31, 32, 33, 100})
        check({.count = 2,
               .n = n,
               .columns = columns,
               .is_upper = is_upper,
               .has_unit_diagonal = columns == 33});
  check({.count = 200, .n = 20, .columns = 40});
  for (const Kind kind : distinct_kinds)
    for (const bool is_upper : {false, true})
      check({.count = 3, .n = 9, .columns = 5, .is_upper = is_upper, .kind = kind});
  check({.count = 0, .n = 4, .columns = 3});
  check({.count = 2, .n = 0, .columns = 3});
  check({.count = 2, .n = 4, .columns = 0});
}

void test_in_place() {
  const Case c{.count = 3, .n = 70, .columns = 40};
  const Input a = matrices(c), b = right_sides(c);
  const Approximation expected = solve(c, a, b);
  for (const Tensor& matrix : {a.tensor, copy(a.tensor.transpose(1, 2)).transpose(1, 2)}) {
    const Tensor y = copy(b.tensor);
    solve_triangular(matrix, y, false, false, {.out = &y});
    expect_within("solve_triangular in place", download(y), expected.value, expected.error);
  }
}

void test_errors() {
  const auto zeros = [](const Shape& shape, DType type = DType::f32) {
    return Tensor::zeros(device(), shape, type);
  };
  const auto refuse = [](const Tensor& a, const Tensor& b, const char* text) {
    try {
      solve_triangular(a, b);
      ADD_FAILURE() << "no error with '" << text << "'";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::invalid_argument);
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refuse(zeros({3, 4}), zeros({3, 2}),
         "solve_triangular: a is f32 [3, 4], b f32 [3, 2]; they have to be f32 [batch…, n, n]");
  refuse(zeros({3, 3}), zeros({4, 2}), "b f32 [4, 2]");
  refuse(zeros({3, 3}), zeros({3}), "b f32 [3]");
  refuse(zeros({2, 3, 3}), zeros({1, 3, 2}), "b f32 [1, 3, 2]");
  refuse(zeros({3, 3}), zeros({3, 2}, DType::f64), "b f64 [3, 2]");
  const Tensor a = zeros({3, 3});
  EXPECT_THROW(solve_triangular(a, zeros({3, 3}), false, false, {.out = &a}), Error);
}

}  // namespace

void register_solve_tests() {
  register_test("solve_triangular", "f32", test_solve);
  register_test("solve_triangular", "in_place", test_in_place);
  register_test("solve_triangular", "errors", test_errors);
}

}  // namespace kernelgen::conformance
