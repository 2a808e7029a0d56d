// Dim expressions: values by C's and Python's rules, faults instead of what has no value.
#include <gtest/gtest.h>

#include <tuple>

#include "source/launch_rule.hpp"

namespace kernelgen {
namespace {

constexpr std::int64_t x_shape[] = {4, 6, 10}, w_shape[] = {7};
const DimNames names{{"x", "w"}, {"n", "big"}};
const DimValues values{{x_shape, w_shape}, {5, INT64_MAX}, {2, 8}};

std::int64_t value_of(const std::string& text) { return DimExpression::parse(text, names).value(values); }

std::string fault_of(const std::string& text, bool are_extents = false) {
  try {
    if (are_extents)
      DimExpression::parse_extents(text, names).extents(values);
    else
      value_of(text);
  } catch (const DimFault& fault) {
    return fault.why;
  }
  return "";
}

TEST(DimExpression, Values) {
  const std::pair<const char*, std::int64_t> cases[] = {
      {"x[0] + x[-1] * 2", 24},
      {"size(x)", 240},
      {"size(x[1:])", 60},
      {"size(x[:-1])", 24},
      {"size(x[3:]) + size(x[2:1])", 2},
      {"size(x[-2:n])", 60},
      {"rank(x) * 10 + rank(x[1:])", 32},
      {"axis(-1, x)", 2},
      {"bytes(x) * 10 + bytes(w)", 28},
      {"ceil_div(n, 2) + round_up(n, 4) * 100", 803},
      {"ceil_div(-5, 2)", -2},
      {"next_pow2(n) + next_pow2(0)", 9},
      {"min(n, 3) - max(n, 3)", -2},
      {"n % 3 == 2 && n / 2 == 2", 1},
      {"n > 5 || n <= 4 || !n", 0},
      {"n == 0 ? 1 / 0 : 7", 7},
      {"0 && 1 / 0 || 1", 1},
      {"n - 1 - 1", 3},
      {"-(n + 1) * -2", 12},
      {"n ? 1 ? 2 : 3 : 4", 2},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(value_of(text), expected) << text;
  using Extents = std::vector<std::int64_t>;
  const auto extents = [](const char* text) {
    return DimExpression::parse_extents(text, names).extents(values);
  };
  EXPECT_EQ(extents("[]"), Extents());
  EXPECT_EQ(extents("[x]"), (Extents{4, 6, 10}));
  EXPECT_EQ(extents("[x[:1], n, w, x[2]]"), (Extents{4, 5, 7, 10}));
}

TEST(DimExpression, Faults) {
  const std::pair<const char*, const char*> cases[] = {
      {"x[3]", "x has rank 3, so no dim 3"},
      {"w[-2]", "w has rank 1, so no dim -2"},
      {"axis(1, w)", "dim 1 is out of range for w, which has rank 1"},
      {"big + 1", "'+' overflows 64 bits"},
      {"-big - 2", "'-' overflows 64 bits"},
      {"big * 2", "'*' overflows 64 bits"},
      {"(-big - 1) / -1", "'/' overflows 64 bits"},
      {"n % 0", "'%' divides 5 by 0"},
      {"round_up(n, 0)", "'round_up' divides 5 by 0"},
      {"next_pow2(big)", "'next_pow2' overflows 64 bits"},
      {"x + 1", "column 1: 'x' stands for several dims where a number is expected"},
      {"n * x", "column 5: 'x' stands for several dims where a number is expected"},
      {"size(x + 1)", "column 8: several dims are not a number"},
      {"size(n)", "column 6: a tensor is expected: x, w"},
      {"bytes(n)", "column 7: a tensor is expected: x, w"},
      {"bytes(x[1:])", "column 8: '[' is not expected; ')' is"},
      {"size(x[0])", "column 10: a tensor or some of its dims are expected"},
      {"n 2", "column 3: '2' is not expected; an operator or the end is"},
      {"0.5", "column 1: '0.5' is not a whole decimal number"},
      {"9223372036854775808", "column 1: '9223372036854775808' does not fit in i64"},
      {"minn(1, 2)", "column 1: there is no 'minn'; did you mean 'min'?"},
      {"", "column 1: the expression ends where a value is expected"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_EQ(fault_of(text).substr(0, std::string(expected).size()), expected) << text;
  EXPECT_EQ(fault_of("[n - 6]", true), "extent 0 is -1");
  EXPECT_EQ(fault_of("[n, -x[:1]]", true).substr(0, 27), "column 6: 'x' stands for se");
  EXPECT_EQ(fault_of("[n", true), "column 3: the expression ends where ']' is expected");
}

TEST(DimExpression, BytesOfNoKnownDtypeAreAFault) {
  const DimExpression bytes = DimExpression::parse("bytes(w)", names);
  EXPECT_EQ(bytes.value(values), 8);
  try {
    bytes.value({{x_shape, w_shape}, {5, 1}});
    FAIL();
  } catch (const DimFault& fault) {
    EXPECT_EQ(fault.why, "the dtype of w is not known here");
  }
}

TEST(LaunchRule, ReadsWhatItWrites) {
  LaunchRule rule({"x"}, {"k"});
  rule.add("constant", "TILE 16 cpu 64 sm_80 32");
  rule.add("number", "n = x[0] * TILE");
  rule.add("require", "k == 2");
  rule.add("number", "fits: u32 = n");
  rule.add("output", "y: f32 = [n]");
  rule.add("zeros", "counts: b64 = [n]");
  rule.add("launch", "");
  rule.add("for", "pass: i32 = k");
  rule.add("when", "pass > 0");
  rule.add("grid", "ceil_div(n, threads), k * pass");
  const LaunchRule again = LaunchRule::parse(rule.text(), {"x"}, {"k"});
  EXPECT_EQ(again.text(), rule.text());
  EXPECT_EQ(again.constants()[0].value("cpu-x86-64-v3"), 64);
  EXPECT_EQ(again.constants()[0].value("compute_80"), 32);
  EXPECT_EQ(again.constants()[0].value("gfx90a"), 16);
  ASSERT_EQ(again.launches().size(), 1u);
  ASSERT_TRUE(again.launches()[0].loop);
  EXPECT_EQ(again.launches()[0].loop->name, "pass");
  EXPECT_EQ(again.launches()[0].loop->bytes(), 4u);
  EXPECT_EQ(again.numbers().back().type, "u32");
  EXPECT_EQ(again.tensors()[1].use, LaunchRule::Use::zeros);
  for (const char* wrong :
       {"number", "grid 1", "output y: f32 = [1]; output y: f32 = [1]", "launch; number n = 1",
        "number n = 1; constant N 1", "shell rm", "constant N", "launch; when 1, 2", "launch; threads 64",
        "number n: f32 = 1", "number n: = 1", "launch; grid 1; for i = 2", "launch; for x = 2; grid 1",
        "launch; for i = i; grid 1", "launch; for i = 2; grid 1; launch; grid i", "for i = 2"})
    EXPECT_THROW(LaunchRule::parse(wrong, {"x"}, {}), DimFault) << wrong;
}

TEST(LaunchRule, NumbersFitTheirTypes) {
  const std::tuple<const char*, std::int64_t, std::int64_t> bounds[] = {{"i32", INT32_MIN, INT32_MAX},
                                                                        {"u32", 0, UINT32_MAX},
                                                                        {"i64", INT64_MIN, INT64_MAX},
                                                                        {"u64", 0, INT64_MAX}};
  for (const auto& [type, least, most] : bounds) {
    const LaunchRule rule = LaunchRule::parse(std::string("number n: ") + type + " = 1", {"x"}, {});
    const LaunchRule::Number& number = rule.numbers()[0];
    EXPECT_NO_THROW(number.check(least)) << type;
    EXPECT_NO_THROW(number.check(most)) << type;
    if (least != INT64_MIN) {
      EXPECT_THROW(number.check(least - 1), DimFault) << type;
    }
    if (most != INT64_MAX) {
      EXPECT_THROW(number.check(most + 1), DimFault) << type;
    }
  }
}

}  // namespace
}  // namespace kernelgen
