#include "source/dim_expression.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "common/format.hpp"
#include "common/suggest.hpp"
#include "source/expression_lexer.hpp"

namespace kernelgen {
namespace {

constexpr int most_depth = 50;

/// C's operators by precedence, the lowest first.
struct BinaryOperator {
  std::string_view text;
  int precedence;
};
constexpr BinaryOperator binary_operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<", 4},
                                               {">", 4},  {"<=", 4}, {">=", 4}, {"+", 5},  {"-", 5},
                                               {"*", 6},  {"/", 6},  {"%", 6}};

struct Function {
  std::string_view name;
  int arguments;
};
constexpr Function functions[] = {{"min", 2}, {"max", 2}, {"ceil_div", 2}, {"round_up", 2}, {"next_pow2", 1}};
/// Functions of tensors.
constexpr std::string_view tensor_functions[] = {"rank", "size", "axis", "bytes"};

}  // namespace

/// Recursive descent, by precedence for binary operators.
class DimParser {
 public:
  DimParser(std::string_view text, const DimNames& names) : lexer_(text, "[]"), names_(names) {
    made_.tensors_ = names.tensors;
    advance();
  }

  DimExpression list() {
    do made_.roots_.push_back(conditional());
    while (takes(","));
    return end();
  }

  DimExpression extents() {
    take("[");
    if (!is("]")) {
      do made_.roots_.push_back(extent());
      while (takes(","));
    }
    take("]");
    return end();
  }

 private:
  using Kind = DimExpression::Kind;
  using Node = DimExpression::Node;

  [[noreturn]] void refuse(std::string why) const { throw ExpressionFault{next_.column, std::move(why)}; }
  bool is(std::string_view text) const { return next_.text == text; }
  void advance() { next_ = lexer_.next(); }
  bool takes(std::string_view text) {
    if (!is(text)) return false;
    advance();
    return true;
  }
  void take(std::string_view expected) {
    if (takes(expected)) return;
    refuse(is("") ? formatted("the expression ends where '{}' is expected", expected)
                  : formatted("'{}' is not expected; '{}' is", next_.text, expected));
  }
  DimExpression end() {
    if (!is("")) refuse(formatted("'{}' is not expected; an operator or the end is", next_.text));
    return std::move(made_);
  }

  std::int32_t add(const Node& node) {
    made_.nodes_.push_back(node);
    return static_cast<std::int32_t>(made_.nodes_.size()) - 1;
  }
  Kind kind_of(std::int32_t node) const { return made_.nodes_[static_cast<std::size_t>(node)].kind; }

  /// Dims can be an entry of a list, not an operand.
  void need_number(std::int32_t node) {
    if (kind_of(node) == Kind::slice) refuse("several dims are not a number; size(x[a:b]) is their product");
    is_slice_allowed_ = false;
  }

  std::int32_t extent() {
    is_slice_allowed_ = true;
    const std::int32_t node = conditional();
    is_slice_allowed_ = false;
    return node;
  }

  std::int32_t conditional() {
    if (++depth_ > most_depth)
      refuse(formatted("the expression is nested more than {} levels deep", most_depth));
    const std::int32_t condition = binary(1);
    std::int32_t node = condition;
    if (takes("?")) {
      need_number(condition);
      const std::int32_t first = conditional();
      take(":");
      const std::int32_t second = conditional();
      node = add({Kind::conditional, 0, "?", {condition, first, second}});
    }
    --depth_;
    return node;
  }

  std::int32_t binary(int least) {
    std::int32_t left = unary();
    for (;;) {
      const auto* const found = std::ranges::find(binary_operators, next_.text, &BinaryOperator::text);
      if (found == std::end(binary_operators) || found->precedence < least) return left;
      need_number(left);
      advance();
      const std::int32_t right = binary(found->precedence + 1);
      left = add({Kind::binary, 0, found->text, {left, right}});
    }
  }

  std::int32_t unary() {
    for (const std::string_view sign : {"-", "!"})
      if (is(sign)) {
        advance();
        is_slice_allowed_ = false;
        if (++depth_ > most_depth) refuse("the expression has too many signs");
        const std::int32_t operand = unary();
        --depth_;
        return add({Kind::unary, 0, sign, {operand}});
      }
    if (takes("(")) {
      const bool allowed = std::exchange(is_slice_allowed_, false);
      const std::int32_t inner = conditional();
      is_slice_allowed_ = allowed;
      take(")");
      return inner;
    }
    if (next_.kind == ExpressionToken::Kind::number) return literal();
    if (next_.kind == ExpressionToken::Kind::name) return named();
    refuse(is("") ? "the expression ends where a value is expected"
                  : formatted("'{}' is not expected; a value is", next_.text));
  }

  std::int32_t literal() {
    std::int64_t value = 0;
    const char* const end = next_.text.data() + next_.text.size();
    const auto read = std::from_chars(next_.text.data(), end, value);
    if (read.ec != std::errc() || read.ptr != end)
      refuse(formatted("'{}' is not a whole decimal number", next_.text));
    advance();
    return add({Kind::literal, value});
  }

  std::int32_t named() {
    const ExpressionToken name = next_;
    advance();
    if (is("(")) return called(name);
    if (const auto found = std::ranges::find(names_.numbers, name.text); found != names_.numbers.end())
      return add({Kind::number, found - names_.numbers.begin()});
    const auto tensor = std::ranges::find(names_.tensors, name.text);
    if (tensor == names_.tensors.end()) throw ExpressionFault{name.column, unknown(name.text)};
    return dims(name, tensor - names_.tensors.begin());
  }

  /// "x[i]" is a number; "x[a:b]" and "x" are dims.
  std::int32_t dims(const ExpressionToken& name, std::int64_t tensor) {
    const bool may_be_slice = std::exchange(is_slice_allowed_, false);
    Node node{Kind::slice, tensor};
    if (takes("[")) {
      if (!is(":")) node.operands[0] = conditional();
      if (!is(":")) node.kind = Kind::dim;
      if (takes(":") && !is("]")) node.operands[1] = conditional();
      take("]");
    }
    is_slice_allowed_ = may_be_slice;
    if (node.kind == Kind::slice && !may_be_slice)
      throw ExpressionFault{name.column,
                            formatted("'{0}' stands for several dims where a number is expected: {0}[0] is "
                                      "the first, size({0}) the product of all",
                                      name.text)};
    return add(node);
  }

  std::int32_t called(const ExpressionToken& name) {
    take("(");
    const bool allowed = std::exchange(is_slice_allowed_, false);
    std::int32_t node = -1;
    if (name.text == "axis") {
      const std::int32_t dim = conditional();
      take(",");
      node = add({Kind::axis, 0, {}, {dim, of_tensor()}});
    } else if (name.text == "bytes") {
      node = add({Kind::bytes, tensor_index()});
    } else if (name.text == "rank" || name.text == "size") {
      node = add({name.text == "rank" ? Kind::rank : Kind::size, 0, {}, {of_tensor()}});
    } else {
      const auto* const function = std::ranges::find(functions, name.text, &Function::name);
      if (function == std::end(functions)) throw ExpressionFault{name.column, unknown(name.text)};
      Node call{Kind::function, 0, function->name};
      for (int i = 0; i < function->arguments; ++i) {
        if (i > 0) take(",");
        call.operands[i] = conditional();
      }
      node = add(call);
    }
    is_slice_allowed_ = allowed;
    take(")");
    return node;
  }

  std::int64_t check_tensor() const {
    const auto tensor = std::ranges::find(names_.tensors, next_.text);
    if (tensor == names_.tensors.end())
      refuse(formatted("a tensor is expected: {}", joined(names_.tensors, ", ")));
    return tensor - names_.tensors.begin();
  }
  /// The whole tensor that a function takes.
  std::int64_t tensor_index() {
    const std::int64_t tensor = check_tensor();
    advance();
    return tensor;
  }
  /// The tensor, or some dims of it, that a function takes.
  std::int32_t of_tensor() {
    check_tensor();
    const std::int32_t node = extent();
    if (kind_of(node) != Kind::slice) refuse("a tensor or some of its dims are expected, as x or x[:-1]");
    return node;
  }

  std::string unknown(std::string_view name) const {
    std::vector<std::string> known = names_.tensors;
    known.insert(known.end(), names_.numbers.begin(), names_.numbers.end());
    const std::size_t values = known.size();
    for (const Function& function : functions) known.emplace_back(function.name);
    known.insert(known.end(), std::begin(tensor_functions), std::end(tensor_functions));
    const auto meant = nearest(name, known);
    const auto middle = known.begin() + static_cast<std::ptrdiff_t>(values);
    return formatted("there is no '{}'{}; names: {}; functions: {}", name,
                     meant ? formatted("; did you mean '{}'?", *meant) : "",
                     joined(known.begin(), middle, ", "), joined(middle, known.end(), ", "));
  }

  ExpressionLexer lexer_;
  const DimNames& names_;
  ExpressionToken next_;
  DimExpression made_;
  bool is_slice_allowed_ = false;
  int depth_ = 0;
};

namespace {

template <class Parse>
DimExpression parsed(std::string_view text, const DimNames& names, Parse parse) {
  try {
    DimParser parser(text, names);
    return (parser.*parse)();
  } catch (const ExpressionFault& fault) {
    throw DimFault{formatted("column {}: {}", fault.column, fault.why)};
  }
}

}  // namespace

DimExpression DimExpression::parse(std::string_view text, const DimNames& names) {
  return parsed(text, names, &DimParser::list);
}

DimExpression DimExpression::parse_extents(std::string_view text, const DimNames& names) {
  return parsed(text, names, &DimParser::extents);
}

}  // namespace kernelgen
