// References: expressions of numpy, their values and faults; how results are compared with them.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "array/array_expression.hpp"
#include "conformance/comparison.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> names = {"x", "ids", "dims", "b"};

const ArrayNames& values() {
  static const ArrayNames all = {{"x", ArrayValue::of(Array{{2, 3}, {-2.5, -1.5, -0.5, 0.5, 1.5, 2.5}})},
                                 {"ids", ArrayValue::of(Array{{2}, {2, 0}})},
                                 {"b", ArrayValue::of(Array{{3}, {10, 20, 30}})},
                                 {"dims", ArrayValue::of(ArrayShape{1})}};
  return all;
}

ArrayValue value_of(const std::string& text) { return ArrayExpression::parse(text, names).value(values()); }

std::string fault_of(const std::string& text) {
  try {
    value_of(text);
  } catch (const ArrayFault& fault) {
    return fault.why;
  }
  return "";
}

struct Case {
  const char* text;
  ArrayShape shape;
  std::vector<double> data;
};

TEST(ArrayExpression, ValuesAreThoseOfNumpy) {
  const Case cases[] = {
      {"-2 ** 2", {}, {-4}},
      {"2 ** -1 ** 2", {}, {0.5}},
      {"7 // 2 + -7 // 2 + -7 % 3", {}, {1}},
      {"1 + 2 * 3 - 4 / 8", {}, {6.5}},
      {"6 & 3 | 8 ^ 1 << 1", {}, {10}},
      {"~5", {}, {-6}},
      {"x + b", {2, 3}, {7.5, 18.5, 29.5, 10.5, 21.5, 32.5}},
      {"x[:, ids]", {2, 2}, {-0.5, -2.5, 2.5, 0.5}},
      {"x[-1, ::-1]", {3}, {2.5, 1.5, 0.5}},
      {"x[1:, None, 1]", {1, 1}, {1.5}},
      {"x[..., -1]", {2}, {-0.5, 2.5}},
      {"x.T[0]", {2}, {-2.5, 0.5}},
      {"x.sum(axis=dims)", {2}, {-4.5, 4.5}},
      {"np.sum(x, keepdims=True)", {1, 1}, {0}},
      {"np.max(x, axis=0) - np.min(x)", {3}, {3, 4, 5}},
      {"np.argmax(x, axis=(1,))", {2}, {2, 2}},
      {"np.var(x, 1)", {2}, {2.0 / 3, 2.0 / 3}},
      {"np.std(b, ddof=1)", {}, {10}},
      {"np.where((x > 0) & ~(x > 2), x, 0)", {2, 3}, {0, 0, 0, 0.5, 1.5, 0}},
      {"np.clip(b, None, 15)", {3}, {10, 15, 15}},
      {"np.cumsum(b) + np.flip(b)", {3}, {40, 50, 70}},
      {"np.sort(np.round(x[:, ::-1]), axis=1)[0]", {3}, {-2, -2, -0.0}},
      {"np.argsort(-b)", {3}, {2, 1, 0}},
      {"np.bincount(ids, minlength=4)", {4}, {1, 0, 1, 0}},
      {"x @ b", {2}, {-70, 110}},
      {"np.matmul(b, x.T)", {2}, {-70, 110}},
      {"np.matmul(x[:, :, None], np.ones((2, 1, 2))).shape[0]", {}, {2}},
      {"np.arange(x.size - 3)", {3}, {0, 1, 2}},
      {"np.zeros(x.shape[:-1] + (2,)) + x.ndim", {2, 2}, {2, 2, 2, 2}},
      {"np.reshape(b, (-1, 1))", {3, 1}, {10, 20, 30}},
      {"np.transpose(np.expand_dims(b, 0), (1, 0))", {3, 1}, {10, 20, 30}},
      {"np.squeeze(np.take(x, ids, axis=1)[:1])", {2}, {-0.5, -2.5}},
      {"np.roll(b, 1) - np.roll(b, -2, axis=0)", {3}, {0, 0, 0}},
      {"np.pad(b, 1, constant_values=5)", {5}, {5, 10, 20, 30, 5}},
      {"np.sum(np.sliding_window_view(x, 2, axis=1), axis=-1)", {2, 2}, {-4, -2, 2, 4}},
      {"np.triu(np.full((2, 2), 3))", {2, 2}, {3, 3, 0, 3}},
      {"np.isnan(np.nan) + np.isinf(-np.inf) + True", {}, {3}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.text);
    EXPECT_EQ(fault_of(one.text), "");
    const ArrayValue value = value_of(one.text);
    ASSERT_EQ(value.kind, ArrayValue::Kind::array);
    EXPECT_EQ(value.array.shape, one.shape);
    ASSERT_EQ(value.array.data.size(), one.data.size());
    for (std::size_t i = 0; i < one.data.size(); ++i) EXPECT_NEAR(value.array.data[i], one.data[i], 1e-12);
  }
  EXPECT_EQ(value_of("x[..., None].shape").tuple, (ArrayShape{2, 3, 1}));
}

TEST(ArrayExpression, FaultsNameTheColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"x[5]", "column 2: index 5 is outside of dim 0 of shape [2, 3]"},
      {"x + b[:2]", "column 3: shapes [2, 3] and [2] have no common shape"},
      {"1 < x < 2", "column 7: comparisons do not follow one another; write (a < b) & (b < c)"},
      {"np.", "column 4: a name is expected after '.'"},
      {"x.exec('ls')", "column 8: ''' is not allowed"},
      {"x.foo", "column 3: there is no attribute 'foo'; attributes: shape, size, ndim, T"},
      {"np.sum(x, axis=2)", "column 4: axis 2 is out of range for an array of shape [2, 3]"},
      {"np.sum(x, axis=(0, 0))", "column 4: axis 0 is given twice"},
      {"np.zeros((100000, 100000))",
       "column 4: an array of shape [100000, 100000] has more than 16777216 elements"},
      {"np.matmul(np.ones((4000, 4000)), np.ones((4000, 4000)))",
       "column 4: matmul of shapes [4000, 4000] and [4000, 4000] takes too many steps"},
      {"x @ x", "column 3: matmul of shapes [2, 3] and [2, 3]: 3 is not 2"},
      {"x[x > 0]", "column 2: a mask cannot be an index; np.where chooses elements"},
      {"x[0.5]", "column 2: 0.5 is not a whole number"},
      {"x[0, 0, 0]", "column 2: 3 indices of an array of shape [2, 3]"},
      {"np.max(np.zeros(0))", "column 4: the greatest or least of no elements does not exist"},
      {"np.add(1, 2, 3)", "column 4: add has too many arguments; it takes (x1, x2)"},
      {"np.add(1, x1=2)", "column 4: add has 'x1' twice; it takes (x1, x2)"},
      {"x.shape + x", "column 9: an array is expected, not a tuple or None"},
  };
  for (const auto& [text, fault] : cases) EXPECT_EQ(fault_of(text), fault) << text;
  EXPECT_NE(fault_of(std::string(100, '(') + "x").find("nested more than 60 levels deep"), std::string::npos);
  EXPECT_NE(fault_of("x" + std::string(200, '-') + "x").find("is not expected"), std::string::npos);
  EXPECT_NE(fault_of(std::string(5000, '1')).find("characters"), std::string::npos);
}

std::optional<Difference> difference(const std::vector<float>& found, const std::vector<double>& expected,
                                     double tolerance = 0) {
  const auto n = static_cast<std::int64_t>(found.size());
  return first_difference({DType::f32, {n}, std::as_bytes(std::span(found))},
                          Array{{static_cast<std::int64_t>(expected.size())}, expected}, tolerance, false);
}

TEST(Comparison, OfFloats) {
  const double inf = std::numeric_limits<double>::infinity();
  const float infinite = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(difference({1, 2, 3}, {1, 2.000001, 3}));
  const auto found = difference({1, 2, 3}, {1, 2.001, 3});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->element, "[1]");
  EXPECT_EQ(found->is, "2");
  EXPECT_EQ(found->has_to_be, "2.001");
  EXPECT_FALSE(difference({1, 2, 3}, {1, 2.001, 3}, 1e-3));
  EXPECT_FALSE(difference({1000, 1e-4f}, {1000, 0}));  // the error of terms that cancel out
  EXPECT_TRUE(difference({1000, 0.1f}, {1000, 0}));
  EXPECT_FALSE(difference({NAN, infinite, -infinite}, {NAN, inf, -1e39}));
  EXPECT_TRUE(difference({NAN}, {1}));
  EXPECT_TRUE(difference({1}, {NAN}));
  EXPECT_TRUE(difference({infinite}, {-inf}));
  EXPECT_TRUE(difference({infinite}, {5}));
  const auto shapes = difference({1}, {1, 2});
  ASSERT_TRUE(shapes);
  EXPECT_EQ(shapes->element, "");
  EXPECT_EQ(shapes->has_to_be, "[2]");
}

TEST(Comparison, OfIntegers) {
  const std::vector<std::uint8_t> bytes = {200, 255};
  const HostResult result{DType::u8, {2}, std::as_bytes(std::span(bytes))};
  EXPECT_FALSE(first_difference(result, Array{{2}, {456, -1}}, 0, true));
  EXPECT_FALSE(first_difference(result, Array{{2}, {200.7, 300}}, 0, false));
  EXPECT_TRUE(first_difference(result, Array{{2}, {200, 254}}, 0.5, false));
  const std::vector<std::int64_t> wide = {INT64_MIN, 7};
  EXPECT_FALSE(
      first_difference({DType::i64, {2}, std::as_bytes(std::span(wide))}, Array{{2}, {1e300, 7}}, 0, true));
  EXPECT_TRUE(
      first_difference({DType::i64, {2}, std::as_bytes(std::span(wide))}, Array{{2}, {1e300, 8}}, 0, true));
}

}  // namespace
}  // namespace kernelgen::tool
