#include "manifest/expression.hpp"

#include <gtest/gtest.h>

#include "source/expression.hpp"

namespace kernelgen::tool {
namespace {

TEST(Expression, Accepts) {
  for (const char* text :
       {"x", "x * x * x", "c != 0 ? a : b", "fma(x, mul, add)", "a < b", "t[(i + 1) & 255]", "x / 2"})
    EXPECT_EQ(expression_objection(text), "") << text;
}

TEST(Template, FillsVariables) {
  const std::vector<std::string> variables = {"S", "D"};
  const std::vector<ElementCode> values = {*parse_element("i64"), *parse_element("bf16")};
  const Template name("cast_{S}_{D}");
  EXPECT_EQ(name.fill({variables, values}), "cast_i64_bf16");
  EXPECT_EQ(name.plain(), "cast_T_T");
  ASSERT_EQ(name.placeholders().size(), 2u);
  EXPECT_EQ(name.placeholders()[0], "S");
}

TEST(Template, OtherBracesAreText) {
  const Template body("map(op<{T}>{widen(a), widen(b)}, {}, {T");
  EXPECT_EQ(body.placeholders().size(), 1u);
  EXPECT_EQ(body.plain(), "map(op<T>{widen(a), widen(b)}, {}, {T");
}

}  // namespace
}  // namespace kernelgen::tool
