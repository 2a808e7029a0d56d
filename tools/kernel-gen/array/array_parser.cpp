#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "array/array_expression.hpp"
#include "common/suggest.hpp"
#include "source/expression_lexer.hpp"

namespace kernelgen::tool {
namespace {

constexpr int most_depth = 60;

/// Python's precedence, the lowest first.
struct BinaryOperator {
  std::string_view text;
  int precedence;
};
constexpr BinaryOperator binary_operators[] = {
    {"==", 1}, {"!=", 1}, {"<", 1}, {">", 1}, {"<=", 1}, {">=", 1}, {"|", 2},  {"^", 3}, {"&", 4},
    {"<<", 5}, {">>", 5}, {"+", 6}, {"-", 6}, {"*", 7},  {"/", 7},  {"//", 7}, {"%", 7}, {"@", 7}};

int precedence_of(std::string_view text) {
  const auto* const found = std::ranges::find(binary_operators, text, &BinaryOperator::text);
  return found == std::end(binary_operators) ? 0 : found->precedence;
}

const std::vector<std::string> attributes = {"shape", "size", "ndim", "T"};

std::optional<ArrayValue> constant_named(std::string_view name) {
  const auto number = [](double value) { return ArrayValue::of(Array::scalar(value)); };
  if (name == "pi") return number(std::numbers::pi);
  if (name == "e") return number(std::numbers::e);
  if (name == "inf") return number(std::numeric_limits<double>::infinity());
  if (name == "nan") return number(std::numeric_limits<double>::quiet_NaN());
  if (name == "newaxis") return ArrayValue{};
  return std::nullopt;
}

/// The tokens of Python: "**", "//" and "..." are symbols of the lexer's, without blanks between them.
std::vector<ExpressionToken> split(std::string_view text) {
  ExpressionLexer lexer(text, "[].=@");
  std::vector<ExpressionToken> tokens;
  for (ExpressionToken token = lexer.next();; token = lexer.next()) {
    const auto joins = [&](std::string_view last, std::string_view joined) {
      if (tokens.empty() || tokens.back().text != last || !token.space.empty()) return false;
      if (token.kind != ExpressionToken::Kind::symbol || tokens.back().kind != token.kind) return false;
      if (!joined.starts_with(last) || joined.substr(last.size()) != token.text) return false;
      tokens.back().text = joined;
      return true;
    };
    if (joins("*", "**") || joins("/", "//") || joins("..", "...") || joins(".", "..")) continue;
    tokens.push_back(token);
    if (token.kind == ExpressionToken::Kind::end) return tokens;
  }
}

}  // namespace

/// Recursive descent, by precedence for binary operators.
class ArrayParser {
 public:
  ArrayParser(std::string_view text, std::span<const std::string> names)
      : tokens_(split(text)), names_(names) {
    made_.text_ = text;
  }

  ArrayExpression parse() {
    made_.root_ = tuple_or_value();
    if (!is("")) refuse(fmt::format("'{}' is not expected; an operator or the end is", next().text));
    return std::move(made_);
  }

 private:
  using Kind = ArrayExpression::Kind;
  using Node = ArrayExpression::Node;
  using Entry = ArrayExpression::Entry;

  [[noreturn]] void refuse(std::string why) const { throw ExpressionFault{next().column, std::move(why)}; }
  const ExpressionToken& next() const { return tokens_[at_]; }
  bool is(std::string_view text) const { return next().text == text; }
  bool takes(std::string_view text) {
    if (!is(text)) return false;
    ++at_;
    return true;
  }
  void take(std::string_view expected) {
    if (takes(expected)) return;
    refuse(is("") ? fmt::format("the expression ends where '{}' is expected", expected)
                  : fmt::format("'{}' is not expected; '{}' is", next().text, expected));
  }
  std::int32_t add(Node node) {
    made_.nodes_.push_back(std::move(node));
    return static_cast<std::int32_t>(made_.nodes_.size()) - 1;
  }
  std::int32_t add_value(std::size_t column, ArrayValue value) {
    return add({.kind = Kind::value, .column = column, .value = std::move(value)});
  }

  ExpressionToken take_name() {
    if (next().kind != ExpressionToken::Kind::name) refuse("a name is expected after '.'");
    return tokens_[at_++];
  }

  /// "a, b" is a tuple.
  std::int32_t tuple_or_value() {
    const std::size_t column = next().column;
    const std::int32_t first = expression();
    if (!is(",")) return first;
    Node tuple{.kind = Kind::tuple, .column = column, .operands = {first}};
    while (takes(","))
      if (!is(")") && !is("")) tuple.operands.push_back(expression());
    return add(std::move(tuple));
  }

  std::int32_t expression() {
    if (++depth_ > most_depth)
      refuse(fmt::format("the expression is nested more than {} levels deep", most_depth));
    const std::int32_t node = binary(1);
    --depth_;
    return node;
  }

  std::int32_t binary(int least) {
    std::int32_t left = unary();
    for (;;) {
      const ExpressionToken sign = next();
      const int precedence = precedence_of(sign.text);
      if (precedence == 0 || precedence < least) return left;
      ++at_;
      const std::int32_t right = binary(precedence + 1);
      if (precedence == 1 && precedence_of(next().text) == 1)
        refuse("comparisons do not follow one another; write (a < b) & (b < c)");
      left = add({.kind = Kind::binary,
                  .column = sign.column,
                  .name = std::string(sign.text),
                  .operands = {left, right}});
    }
  }

  std::int32_t unary() {
    for (const std::string_view sign : {"-", "+", "~"})
      if (is(sign)) {
        const std::size_t column = next().column;
        if (++depth_ > most_depth) refuse("the expression has too many signs");
        ++at_;
        const std::int32_t operand = unary();
        --depth_;
        return add({.kind = Kind::unary, .column = column, .name = std::string(sign), .operands = {operand}});
      }
    const std::int32_t base = postfix(primary());
    if (!is("**")) return base;
    const std::size_t column = next().column;
    ++at_;
    if (++depth_ > most_depth) refuse("the expression has too many powers");
    const std::int32_t exponent = unary();  // binds to the right
    --depth_;
    return add({.kind = Kind::binary, .column = column, .name = "**", .operands = {base, exponent}});
  }

  std::int32_t primary() {
    const ExpressionToken token = next();
    if (takes("(")) {
      const std::int32_t inner =
          is(")") ? add({.kind = Kind::tuple, .column = token.column}) : tuple_or_value();
      take(")");
      return inner;
    }
    if (token.kind == ExpressionToken::Kind::number) {
      double value = 0;
      const char* const end = token.text.data() + token.text.size();
      const auto read = std::from_chars(token.text.data(), end, value);
      if (read.ec != std::errc() || read.ptr != end)
        refuse(fmt::format("'{}' is not a decimal number", token.text));
      ++at_;
      return add_value(token.column, ArrayValue::of(Array::scalar(value)));
    }
    if (token.kind == ExpressionToken::Kind::name) return named();
    refuse(is("") ? "the expression ends where a value is expected"
                  : fmt::format("'{}' is not expected; a value is", token.text));
  }

  std::int32_t named() {
    ExpressionToken name = next();
    ++at_;
    if (name.text == "np" && takes(".")) {
      name = take_name();
      if (auto value = constant_named(name.text)) return add_value(name.column, *std::move(value));
      return called(name, {});
    }
    if (name.text == "True" || name.text == "False")
      return add_value(name.column, ArrayValue::of(Array::scalar(name.text == "True" ? 1 : 0, true)));
    if (name.text == "None") return add_value(name.column, {});
    if (is("(")) return called(name, {});
    if (std::ranges::find(names_, name.text) == names_.end())
      throw ExpressionFault{name.column, unknown(name.text, false)};
    return add({.kind = Kind::name, .column = name.column, .name = std::string(name.text)});
  }

  std::int32_t postfix(std::int32_t base) {
    for (;;) {
      const std::size_t column = next().column;
      if (takes(".")) {
        const ExpressionToken name = take_name();
        if (is("(")) {
          base = called(name, {base});
        } else if (std::ranges::find(attributes, name.text) != attributes.end()) {
          base = add({.kind = Kind::attribute,
                      .column = name.column,
                      .name = std::string(name.text),
                      .operands = {base}});
        } else {
          throw ExpressionFault{name.column, fmt::format("there is no attribute '{}'; attributes: {}",
                                                         name.text, fmt::join(attributes, ", "))};
        }
      } else if (takes("[")) {
        Node index{.kind = Kind::index, .column = column, .operands = {base}};
        do index.entries.push_back(entry());
        while (takes(",") && !is("]"));
        take("]");
        base = add(std::move(index));
      } else {
        return base;
      }
    }
  }

  Entry entry() {
    if (takes("...")) return {Entry::Kind::ellipsis};
    Entry entry;
    if (!is(":")) entry.nodes[0] = expression();
    if (!is(":")) {
      const Node& only = made_.nodes_[static_cast<std::size_t>(entry.nodes[0])];
      if (only.kind == Kind::value && only.value.kind == ArrayValue::Kind::none)
        return {Entry::Kind::newaxis};
      return entry;
    }
    entry.kind = Entry::Kind::slice;
    for (int part = 1; part < 3 && takes(":"); ++part)
      if (!is(":") && !is(",") && !is("]")) entry.nodes[part] = expression();
    return entry;
  }

  std::int32_t called(const ExpressionToken& name, std::vector<std::int32_t> arguments) {
    const ArrayFunction* const function = find_array_function(name.text);
    if (function == nullptr) throw ExpressionFault{name.column, unknown(name.text, true)};
    Node call{.kind = Kind::call,
              .column = name.column,
              .function = function,
              .operands = std::vector<std::int32_t>(function->parameters.size(), -1)};
    std::size_t position = 0;
    const auto fault = [&](std::string why) {
      return ExpressionFault{name.column, fmt::format("{} {}; it takes ({})", name.text, why,
                                                      fmt::join(function->parameters, ", "))};
    };
    const auto bind = [&](std::size_t parameter, std::int32_t node) {
      if (parameter >= function->parameters.size()) throw fault("has too many arguments");
      if (call.operands[parameter] >= 0)
        throw fault(fmt::format("has '{}' twice", function->parameters[parameter]));
      call.operands[parameter] = node;
    };
    for (const std::int32_t node : arguments) bind(position++, node);
    take("(");
    while (!is(")")) {
      if (next().kind == ExpressionToken::Kind::name && tokens_[at_ + 1].text == "=") {
        const auto found = std::ranges::find(function->parameters, next().text);
        if (found == function->parameters.end()) throw fault(fmt::format("has no '{}'", next().text));
        at_ += 2;
        bind(static_cast<std::size_t>(found - function->parameters.begin()), expression());
      } else {
        bind(position++, expression());
      }
      if (!takes(",")) break;
    }
    take(")");
    for (std::size_t i = 0; i < function->required; ++i)
      if (call.operands[i] < 0) throw fault(fmt::format("lacks '{}'", function->parameters[i]));
    return add(std::move(call));
  }

  std::string unknown(std::string_view name, bool is_function) const {
    const std::vector<std::string> functions = array_function_names();
    const std::vector<std::string> names(names_.begin(), names_.end());
    const auto meant = nearest(name, is_function ? functions : names);
    return fmt::format("there is no {} '{}'{}; names: {}; functions: {}", is_function ? "function" : "name",
                       name, meant ? fmt::format("; did you mean '{}'?", *meant) : "", fmt::join(names, ", "),
                       fmt::join(functions, ", "));
  }

  std::vector<ExpressionToken> tokens_;
  std::size_t at_ = 0;
  std::span<const std::string> names_;
  ArrayExpression made_;
  int depth_ = 0;
};

ArrayExpression ArrayExpression::parse(std::string_view text, std::span<const std::string> names) {
  try {
    return ArrayParser(text, names).parse();
  } catch (const ExpressionFault& fault) {
    throw ArrayFault{fmt::format("column {}: {}", fault.column, fault.why)};
  }
}

}  // namespace kernelgen::tool
