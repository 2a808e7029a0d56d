// Matrix products for AMD GPUs, executed by the host: every operand layout, all kinds of tails, and elements
// that gfx90a's matrix instructions flush.
#include "matmul/matmul.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "elements.hpp"

namespace kg {
namespace {

using namespace simulated;

struct Shape {
  u32 rows, columns, terms;
  bool a_along_rows = false, b_along_columns = false;  ///< which stride is one
  Elements elements = Elements::small_integers;
  u32 padding = 0;  ///< elements between lines
  u32 first = 0;    ///< element that operands begin at: past alignment where it is not 0
};

/// A matrix of lines in memory, whose first element is aligned to 16 bytes where `first` is 0.
template <class T>
struct Lines {
  u32 length;
  std::vector<T> memory;
  T* data;

  Lines(u32 lines, u32 elements, const Shape& shape, std::mt19937& random)
      : length(elements + shape.padding), memory(std::size_t{lines} * length + shape.first + 16) {
    std::generate(memory.begin(), memory.end(), [&] { return draw<T>(shape.elements, random); });
    data = memory.data() + shape.first;
    while (reinterpret_cast<std::uintptr_t>(data - shape.first) % 16 != 0) ++data;
  }
  const T& at(u32 line, u32 element) const { return data[std::size_t{line} * length + element]; }
};

/// The most by which a sum in f32 may be off, rounded to T, of products that add up to `magnitude`.
template <class T>
double tolerance(double magnitude) {
  return magnitude * (same<T, f16> ? 0x1p-11 : 0x1p-8) + (same<T, f16> ? 0x1p-25 : 0);
}

template <class T>
void check(const Shape& shape) {
  const u32 seed = shape.rows * 31 + shape.columns * 7 + shape.terms;
  std::mt19937 random(seed);
  const Lines<T> a(shape.a_along_rows ? shape.terms : shape.rows,
                   shape.a_along_rows ? shape.rows : shape.terms, shape, random);
  const Lines<T> b(shape.b_along_columns ? shape.terms : shape.columns,
                   shape.b_along_columns ? shape.columns : shape.terms, shape, random);
  std::vector<T> y(std::size_t{shape.rows} * shape.columns);
  Strided<2> batch{};
  batch.elements = 1;
  simulated::block.launch(2, block_threads, [&] {
    matmul<T>(a.data, b.data, y.data(), shape.rows, shape.columns, shape.terms,
              shape.a_along_rows ? 1 : a.length, shape.a_along_rows ? a.length : 1,
              shape.b_along_columns ? b.length : 1, shape.b_along_columns ? 1 : b.length, batch);
  });
  for (u32 i = 0; i < shape.rows; ++i)
    for (u32 j = 0; j < shape.columns; ++j) {
      double sum = 0, magnitude = 0;
      for (u32 t = 0; t < shape.terms; ++t) {
        const double product = static_cast<double>(widen(shape.a_along_rows ? a.at(t, i) : a.at(i, t))) *
                               static_cast<double>(widen(shape.b_along_columns ? b.at(t, j) : b.at(j, t)));
        sum += product;
        magnitude += std::fabs(product);
      }
      const float wanted = widen(convert<T>(static_cast<float>(sum)));
      const float given = widen(y[std::size_t{i} * shape.columns + j]);
      if (given == wanted || (std::isnan(given) && std::isnan(wanted))) continue;
      const bool is_near = shape.elements != Elements::small_integers && std::isfinite(sum) &&
                           std::fabs(given - sum) <= tolerance<T>(magnitude);
      ASSERT_TRUE(is_near) << Named<T>::name << ", row " << i << ", column " << j << ": " << given
                           << " instead of " << wanted << "; " << shape.rows << " x " << shape.columns
                           << " x " << shape.terms << (shape.a_along_rows ? ", a along rows" : "")
                           << (shape.b_along_columns ? ", b along columns" : "") << ", seed " << seed;
    }
}

template <class T>
class SimulatedMatmulOf : public testing::Test {};
using Types = testing::Types<f16, bf16>;
TYPED_TEST_SUITE(SimulatedMatmulOf, Types, TypeNames);

TYPED_TEST(SimulatedMatmulOf, IsRightForAllWaysInWhichOperandsLie) {
  for (const bool a : {false, true})
    for (const bool b : {false, true}) {
      check<TypeParam>({136, 72, 96, a, b});
      check<TypeParam>({16, 32, 112, a, b, Elements::normal});
      check<TypeParam>({70, 67, 45, a, b});
      check<TypeParam>({24, 40, 80, a, b, Elements::normal, 16});
      check<TypeParam>({24, 40, 48, a, b, Elements::small_integers, 1, 1});
    }
}

/// Behind 4096 terms sums join others.
TEST(SimulatedMatmul, KeepsLongSumsExact) { check<f16>({16, 16, 4160, false, true, Elements::normal}); }

TYPED_TEST(SimulatedMatmulOf, OfNoTermsIsZero) { check<TypeParam>({64, 64, 0}); }

TYPED_TEST(SimulatedMatmulOf, IsRightForSubnormalInfiniteAndNoNumbers) {
  for (const bool a : {false, true})
    for (const u32 terms : {8u, 32u, 96u}) check<TypeParam>({40, 24, terms, a, a, Elements::special});
}

}  // namespace
}  // namespace kg
