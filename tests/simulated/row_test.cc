// Row kernels of GPUs, executed by the host, for element types with compact code and for others.
#include "row/row.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "elements.hpp"

namespace kg {
namespace {

using simulated::draw;
using simulated::Elements;

template <class T>
class Rows : public testing::Test {
 protected:
  std::mt19937 random{7};

  std::vector<T> drawn(u64 count) {
    std::vector<T> x(count);
    for (T& element : x) element = draw<T>(Elements::normal, random);
    return x;
  }
};
using Types = testing::Types<f16, f32, f64, f8e4m3>;
TYPED_TEST_SUITE(Rows, Types, simulated::TypeNames);

/// Rows of this many elements by groups of so many threads: held whole, streamed, in packs and by single elements; 0 of them
/// for rows through shared memory. Rows that are no multiple of 16 bytes have single elements at both ends.
struct Shape {
  u64 rows, n;
  u32 group;
};
constexpr Shape shapes[] = {{3, 1, 1},   {5, 7, 2},     {9, 16, 1},   {4, 48, 2},    {3, 64, 64},
                            {2, 100, 8}, {3, 1000, 32}, {2, 1040, 8}, {1, 3001, 64}, {2, 2048, 512},
                            {9, 33, 16}, {7, 197, 32},  {9, 301, 16}, {3, 2001, 16}, {90, 7, 0}};

/// To the type's precision.
template <class T>
void expect_near(T given, double expected, const std::string& where) {
  const double step = sizeof(T) == 1 ? 1.0 / 8 : sizeof(T) == 2 ? 1.0 / 512 : sizeof(T) == 4 ? 1e-4 : 1e-12;
  EXPECT_NEAR(static_cast<double>(widen(given)), expected, step * (std::abs(expected) + 1)) << where;
}

std::string named(const Shape& shape, u64 element) {
  return std::to_string(shape.rows) + " rows of " + std::to_string(shape.n) + " by " +
         std::to_string(shape.group) + ", element " + std::to_string(element);
}

/// A body of map_rows().
template <class F>
struct OnRows : F {
  static constexpr bool has_lanes = false;
};
template <class F>
OnRows(F) -> OnRows<F>;

/// Adds f(x) up.
template <class V, bool of_squares>
struct Total {
  using State = V;
  static V identity() { return V(0); }
  static V of(V x, u32) { return of_squares ? x * x : x; }
  static V combine(V a, V b) { return a + b; }
};

TYPED_TEST(Rows, SumsAreKeptAndTheirSquaresDivideThem) {
  using T = TypeParam;
  using V = widened<T>;
  for (const Shape& shape : shapes) {
    if (shape.group == 0) continue;  // those of one operand alone
    const u64 n = shape.n, count = shape.rows * n;
    const std::vector<T> x = this->drawn(count), residual = this->drawn(count), drawn = this->drawn(n + 1);
    const T* const weight = drawn.data() + n % 2;  // aligned in another way than some or all rows
    std::vector<T> sum(count), y(count);
    simulated::block.launch(2, 512, [&] {
      const auto body = [](auto& row, T* to, const T* factors) {
        const V squares = row.template reduce<Total<V, true>>();
        row.store(to, [=](V v, V w) { return v / squares * w; }, factors);
      };
      map_rows(RowOfSums<T>{x.data(), residual.data(), sum.data()}, y.data(), shape.rows, n, shape.group,
               OnRows{body}, RowOperand<T>{weight, 0});
    });
    for (u64 row = 0; row < shape.rows; ++row) {
      const auto of = [&](u64 i) {
        return static_cast<double>(widen(x[row * n + i])) + static_cast<double>(widen(residual[row * n + i]));
      };
      double squares = 0;
      for (u64 i = 0; i < n; ++i) squares += of(i) * of(i);
      for (u64 i = 0; i < n; ++i) {
        expect_near(sum[row * n + i], of(i), "sum, " + named(shape, i));
        expect_near(y[row * n + i], of(i) / squares * static_cast<double>(widen(weight[i])), named(shape, i));
      }
    }
  }
}

TYPED_TEST(Rows, MappedElementsAreTheSameInEachStep) {
  using T = TypeParam;
  using V = widened<T>;
  for (const Shape& shape : shapes) {
    const u64 n = shape.n, count = shape.rows * n;
    const std::vector<T> x = this->drawn(count);
    std::vector<T> y(count);
    simulated::block.launch(2, 512, [&] {
      const auto body = [](auto& row, T* to) {
        auto&& doubled = row.map([](V v) { return v + v; });
        const V sum = doubled.template reduce<Total<V, false>>();
        doubled.store(to, [=](V v) { return v - sum; });
      };
      map_rows(RowOf<T>{x.data()}, y.data(), shape.rows, n, shape.group, OnRows{body});
    });
    for (u64 row = 0; row < shape.rows; ++row) {
      double sum = 0;
      const auto of = [&](u64 i) { return 2 * static_cast<double>(widen(x[row * n + i])); };
      for (u64 i = 0; i < n; ++i) sum += of(i);
      for (u64 i = 0; i < n; ++i) expect_near(y[row * n + i], of(i) - sum, named(shape, i));
    }
  }
}

}  // namespace
}  // namespace kg
