#include "source/expression.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "manifest/expression.hpp"
#include "source/body.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> operands = {"a", "b", "c", "x", "limit"};

std::string code_of(std::string_view text) {
  const ExpressionCode code = parse_expression(text, {operands});
  EXPECT_EQ(code.objection, "") << text;
  return code.text;
}

std::string objection_to(std::string_view text, bool has_own_functions = false) {
  return parse_expression(text, {operands, has_own_functions}).objection;
}

TEST(Expression, IsItsOwnCodeWhereItDoesNotDivide) {
  for (const char* text :
       {"x", "x * x * x", "c != 0 ? a : b", "fma(x, a, b)", "a < b", "-x", "- -x", "!(a && b || c)",
        "a & b | c ^ ~x", "a << 2 >> 1", "x > limit ? limit : x < -limit ? -limit : x", " exp( x )",
        "0.5f * x + 1e-3 - .5 + 2.", "0x1p-3f + 0xff + 7u", "a <= b == (b >= c)"}) {
    EXPECT_EQ(code_of(text), text);
    EXPECT_FALSE(parse_expression(text, {operands}).divides) << text;
  }
}

TEST(Expression, DividesByFunctionsOfTheVocabulary) {
  EXPECT_EQ(code_of("a / b"), "kg::quotient(a, b)");
  EXPECT_EQ(code_of("a % b"), "kg::remainder(a, b)");
  EXPECT_EQ(code_of("1 / 0 + a"), "kg::quotient(1, 0) + a");
  EXPECT_EQ(code_of("a / b / c"), "kg::quotient(kg::quotient(a, b), c)");
  EXPECT_EQ(code_of("a * b / c % x"), "kg::remainder(kg::quotient(a * b, c), x)");
  EXPECT_EQ(code_of("a + b / -c"), "a + kg::quotient(b, -c)");
  EXPECT_EQ(code_of("a / (b / c) * x"), "kg::quotient(a, (kg::quotient(b, c))) * x");
  EXPECT_EQ(code_of("a < b / 2 ? a/b : exp(a / 2)"),
            "a < kg::quotient(b, 2) ? kg::quotient(a,b) : exp(kg::quotient(a, 2))");
  EXPECT_TRUE(parse_expression("a / b", {operands}).divides);
}

TEST(Expression, IsRoughIfItOnlyMultipliesResultsOfRoughFunctions) {
  for (const char* text : {"exp(a)", "silu(a) * b", "-tanh(a) * (gelu(b) * c)", "sigmoid(a * b)"})
    EXPECT_TRUE(parse_expression(text, {operands}).is_rough) << text;
  for (const char* text : {"a * b", "exp(a) - 1", "1 + tanh(a)", "exp(a) / b", "log(exp(a))",
                           "a < b ? exp(a) : b", "f16(exp(a))", "exp(a) * sin(b)"})
    EXPECT_FALSE(parse_expression(text, {operands}).is_rough) << text;
}

TEST(Expression, CastsByTheCastRules) {
  EXPECT_EQ(code_of("f32(a) * u8(b + 1)"),
            "kg::widen(kg::convert<kg::f32>(a)) * kg::widen(kg::convert<kg::u8>(b + 1))");
  EXPECT_EQ(code_of("bf16(a / b)"), "kg::widen(kg::convert<kg::bf16>(kg::quotient(a, b)))");
}

TEST(Expression, SaysWhereItIsNoneAndWhy) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "column 1: the expression ends where a value is expected"},
      {"a +", "column 4: the expression ends where a value is expected"},
      {"a b", "column 3: 'b' is not expected; an operator or the end is"},
      {"(a", "column 3: the expression ends where ')' is expected"},
      {"a)", "column 2: ')' is not expected"},
      {"a ? b", "column 6: the expression ends where ':' is expected"},
      {"a = b", "column 3: assignments are not allowed"},
      {"a += b", "column 4: assignments are not allowed"},
      {"a <<= b", "column 5: assignments are not allowed"},
      {"a; b", "column 2: ';' is not allowed"},
      {"a, b", "column 2: ',' is not expected"},
      {"a // b", "column 4: '/' is not expected; a value is"},
      {"a /* b */", "column 4: '*' is not expected: there are no pointers"},
      {"*a", "column 1: '*' is not expected: there are no pointers"},
      {"&a", "column 1: '&' is not expected: there are no pointers"},
      {"*(volatile int*)0 + a", "column 1: '*' is not expected"},
      {"(int*)a", "column 2: there is no operand 'int'"},
      {"(f32*)a", "column 2: there is no operand 'f32'"},
      {"a--", "column 2: '--' is not expected"},
      {"++a", "column 1: '++' is not expected"},
      {"a[0]", "column 2: '[' is not allowed"},
      {"[&]{ return a; }()", "column 1: '[' is not allowed"},
      {"a.b", "column 2: '.' is not allowed"},
      {"a->b", "column 3: '>' is not expected"},
      {"kg::exp(a)", "column 1: there is no operand 'kg'"},
      {"a ::b", "column 3: ':' is not expected"},
      {"sizeof(a)", "column 1: there is no function 'sizeof'"},
      {"throw a", "column 1: there is no operand 'throw'"},
      {"\"a\"", "column 1: '\"' is not allowed"},
      {"a\n+ b", "column 2: the character of code 10 is not allowed"},
      {"a \xc2\xb7 b", "column 3: the character of code 194 is not allowed"},
      {"__LINE__", "column 1: there is no operand '__LINE__'"},
      {"silo(x)",
       "column 1: there is no function 'silo'; did you mean 'silu'?; operands: a, b, c, x, limit; functions: "
       "abs,"},
      {"limti", "there is no operand 'limti'; did you mean 'limit'?"},
      {"x(1)", "column 1: 'x' is an operand and cannot be called"},
      {"exp", "column 1: there is no operand 'exp'"},
      {"exp(a, b)", "column 1: exp takes 1 argument, not 2"},
      {"fma(a)", "column 1: fma takes 3 arguments, not 1"},
      {"f32()", "column 1: f32 takes 1 argument, not 0"},
      {"1f", "column 1: '1f' is not a number"},
      {"1.5.2", "'1.5.2' is not a number"},
      {"1e", "'1e' has no digits in its exponent"},
      {"0x", "'0x' has no digits"},
      {"0x1.8", "'0x1.8' has no exponent ('p')"},
      {"0x1e+3", "'0x1e+3' is not a number"},
      {"017", "'017' begins with 0, which makes it octal in C"},
      {"1l", "'1l' is not a number"},
      {"9223372036854775808", "does not fit in i64"},
  };
  for (const auto& [text, why] : wrong)
    EXPECT_NE(objection_to(text).find(why), std::string::npos) << text << ": " << objection_to(text);
}

TEST(Expression, MayCallFunctionsOfAHeaderOfItsOwn) {
  EXPECT_EQ(objection_to("mine(a, b, 3)", true), "");
  EXPECT_NE(objection_to("mine(a)"), "");
  for (const char* text : {"sizeof(a)", "int(a)", "__builtin_trap()", "KG_KERNEL(a)", "mine", "exp(a, b)"})
    EXPECT_NE(objection_to(text, true), "") << text;
}

TEST(Expression, IsBounded) {
  const auto repeated = [](const char* text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) all += text;
    return all;
  };
  EXPECT_NE(objection_to(repeated("(", 1000) + "a").find("nested more than"), std::string::npos);
  EXPECT_NE(objection_to(repeated("- ", 1000) + "a").find("nested more than"), std::string::npos);
  EXPECT_NE(objection_to(repeated("a ? a : ", 300) + "a").find("nested more than"), std::string::npos);
  EXPECT_NE(objection_to("a" + repeated(" / a", 101)).find("divides more than"), std::string::npos);
  EXPECT_NE(objection_to(repeated("a + ", 100000) + "a").find("it may have 4096"), std::string::npos);
  EXPECT_EQ(objection_to(repeated("a + ", 1000) + "a"), "");
  EXPECT_EQ(objection_to(repeated("(", 40) + "a" + repeated(")", 40)), "");
}

TEST(Body, IsOneExpressionOnOneLine) {
  EXPECT_EQ(body_objection("map(op<T>(a), t[(i + 1) & 255], y)"), "");
  for (const char* text : {"", "a; b", "a // b", "(a", "a]", "a\nb", "__LINE__"})
    EXPECT_NE(body_objection(text), "") << text;
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
