#include "source/expression.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "common/dtype_names.hpp"
#include "common/format.hpp"
#include "common/suggest.hpp"
#include "source/expression_lexer.hpp"
#include "source/identifier.hpp"

namespace kernelgen {
namespace {

/// Compilers reject deeper nesting: clang at 256 brackets.
constexpr int most_depth = 100;
constexpr int most_divisions = 100;

struct CallableFunction {
  std::string_view name;
  int arguments;
};

/// kernels/elementwise/activation.hpp, kernels/device/arithmetic.hpp and kernels/device/math.hpp, sorted.
constexpr CallableFunction functions[] = {
    {"abs", 1},   {"add", 2},      {"ceil", 1},       {"copysign", 2}, {"cos", 1},     {"div", 2},
    {"elu", 2},   {"erf", 1},      {"exp", 1},        {"expm1", 1},    {"floor", 1},   {"fma", 3},
    {"gelu", 1},  {"gelu_erf", 1}, {"gelu_quick", 1}, {"log", 1},      {"maximum", 2}, {"minimum", 2},
    {"mul", 2},   {"neg", 1},      {"normcdf", 1},    {"pow", 2},      {"recip", 1},   {"relu", 1},
    {"round", 1}, {"sigmoid", 1},  {"sign", 1},       {"silu", 1},     {"sin", 1},     {"softplus", 1},
    {"sqr", 1},   {"sqrt", 1},     {"sub", 2},        {"tanh", 1},
};

/// kernels/row/row_reduction.hpp and kernels/device/rough.hpp, each of one argument.
constexpr std::string_view row_functions[] = {"divisor", "rough_exp"};

/// What kernels/engines/simd_cpu.hpp computes of vectors.
constexpr std::string_view vector_functions[] = {"divisor", "exp",     "fma",       "log",
                                                 "maximum", "minimum", "rough_exp", "sqrt"};
constexpr std::string_view vector_operators[] = {"+", "-", "*", "/"};

/// What kernels/device/rough.hpp and kernels/elementwise/activation.hpp compute of kg::Rough.
constexpr std::string_view rough_functions[] = {"exp",     "gelu",    "gelu_erf", "gelu_quick",
                                                "normcdf", "sigmoid", "silu",     "tanh"};

template <std::size_t n>
bool is_among(const std::string_view (&list)[n], std::string_view name) {
  return std::ranges::find(list, name) != std::end(list);
}

/// Whether it is a plain dtype's name, which is also a function that casts.
bool is_cast_name(std::string_view name) {
  const auto dtype = parse_dtype(name);
  return dtype && !is_quantized(*dtype);
}

struct BinaryOperator {
  std::string_view text;
  int precedence;
};

/// C's precedence levels, the lowest first.
constexpr BinaryOperator binary_operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
    {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

int precedence_of(std::string_view text) {
  const auto* const found = std::ranges::find(binary_operators, text, &BinaryOperator::text);
  return found == std::end(binary_operators) ? 0 : found->precedence;
}

/// Recursive descent, by precedence for binary operators. `code_` grows with what was parsed.
class Parser {
 public:
  Parser(std::string_view text, const ExpressionNames& names)
      : lexer_(text, names.indexed.empty() ? "" : "[]"), names_(names) {}

  ExpressionCode parse() {
    advance();
    conditional();
    if (!is("")) refuse(formatted("'{}' is not expected; an operator or the end is", next_.text));
    return {std::move(code_), std::move(ranks_), divisions_ != 0, is_vector_, is_rough_ && calls_rough_, {}};
  }

 private:
  /// One more level of nesting as long as it is there.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > most_depth)
        parser_.refuse(formatted("the expression is nested more than {} levels deep", most_depth));
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  [[noreturn]] void refuse(std::string why) const { throw ExpressionFault{next_.column, std::move(why)}; }

  bool is(std::string_view text) const { return next_.text == text; }
  void advance() { next_ = lexer_.next(); }
  /// Writes the space before the next token, which the token's code follows.
  std::size_t begin() {
    code_ += next_.space;
    next_.space = {};
    return code_.size();
  }
  void take() {
    begin();
    code_ += next_.text;
    advance();
  }
  void take(std::string_view expected) {
    if (!is(expected))
      refuse(is("") ? formatted("the expression ends where '{}' is expected", expected)
                    : formatted("'{}' is not expected; '{}' is", next_.text, expected));
    take();
  }

  void conditional() {
    const Level level(*this);
    binary(1);
    if (!is("?")) return;
    is_vector_ = is_rough_ = false;
    take();
    conditional();
    take(":");
    conditional();
  }

  void binary(int least) {
    const std::size_t left = begin();
    unary();
    for (int precedence = precedence_of(next_.text); precedence >= least && precedence != 0;
         precedence = precedence_of(next_.text)) {
      const bool is_quotient = is("/"), divides = is_quotient || is("%");
      is_vector_ = is_vector_ && is_among(vector_operators, next_.text);
      is_rough_ = is_rough_ && is("*");  // a sum may cancel, and multiply the relative error
      if (!divides) {
        take();
      } else {
        if (++divisions_ > most_divisions)
          refuse(formatted("the expression divides more than {} times", most_divisions));
        code_.insert(left, is_quotient ? "kg::quotient(" : "kg::remainder(");
        code_ += ',';
        advance();
      }
      binary(precedence + 1);
      if (divides) code_ += ')';
    }
  }

  void unary() {
    const Level level(*this);
    if (is("-") || is("+") || is("!") || is("~")) {
      is_vector_ = is_vector_ && is("-");
      take();
      return unary();
    }
    if (is("(")) {
      take();
      conditional();
      return take(")");
    }
    if (next_.kind == ExpressionToken::Kind::number) {
      // A number in double would be computed with in double.
      const bool is_double =
          next_.text.find_first_of(".eE") != std::string_view::npos && !next_.text.ends_with('f');
      is_vector_ = is_vector_ && !is_double;
      return take();
    }
    if (next_.kind == ExpressionToken::Kind::name) return named();
    if (is("")) refuse("the expression ends where a value is expected");
    if (is("*") || is("&")) refuse(formatted("'{}' is not expected: there are no pointers", next_.text));
    refuse(formatted("'{}' is not expected; a value is", next_.text));
  }

  void named() {
    const ExpressionToken name = next_;
    begin();
    advance();
    if (std::ranges::find(names_.indexed, name.text) != names_.indexed.end()) return element(name);
    const bool is_operand = std::ranges::find(names_.operands, name.text) != names_.operands.end();
    const bool is_called = is("(");
    if (is_operand && !is_called) {
      code_ += name.text;
      return;
    }
    const bool is_cast = is_cast_name(name.text);
    is_vector_ = is_vector_ && is_among(vector_functions, name.text);
    calls_rough_ = is_among(rough_functions, name.text);
    is_rough_ = is_rough_ && calls_rough_;
    if (!is_called || is_operand || (!is_cast && !is_function(name.text)))
      throw ExpressionFault{name.column, unknown(name.text, is_operand, is_called)};
    code_ += is_cast ? formatted("kg::widen(kg::convert<kg::{}>", name.text) : std::string(name.text);
    const int given = arguments();
    if (is_cast) code_ += ')';
    const auto* const function = std::ranges::find(functions, name.text, &CallableFunction::name);
    const bool takes_one = is_cast || (names_.has_row_functions && is_among(row_functions, name.text));
    const int wanted = takes_one ? 1 : function != std::end(functions) ? function->arguments : given;
    if (given != wanted)
      throw ExpressionFault{name.column, formatted("{} takes {} argument{}, not {}", name.text, wanted,
                                                   wanted == 1 ? "" : "s", given)};
  }

  /// "x[i, j]" as a call: the tensor is a function of coordinates.
  void element(const ExpressionToken& name) {
    if (!is("["))
      throw ExpressionFault{name.column,
                            formatted("'{0}' is a tensor: its elements are {0}[i], {0}[i, j], …", name.text)};
    code_ += name.text;
    const int rank = arguments("[", "]");
    const auto [known, is_new] = ranks_.try_emplace(std::string(name.text), rank);
    if (rank == 0 || rank > 8 || known->second != rank)
      throw ExpressionFault{
          name.column,
          rank == 0 || rank > 8
              ? formatted("{} has {} indices; there are 1 to 8", name.text, rank)
              : formatted("{} has {} indices here, but {} before", name.text, rank, known->second)};
  }

  /// How many there are.
  int arguments(std::string_view open = "(", std::string_view close = ")") {
    begin();
    if (!is(open)) take(open);
    advance();
    code_ += '(';
    int count = 0;
    if (!is(close)) {
      conditional();
      for (count = 1; is(","); ++count) {
        take();
        conditional();
      }
    }
    if (!is(close)) take(close);
    begin();
    advance();
    code_ += ')';
    return count;
  }

  bool is_function(std::string_view name) const {
    return std::ranges::find(functions, name, &CallableFunction::name) != std::end(functions) ||
           (names_.has_row_functions && is_among(row_functions, name)) ||
           (names_.has_own_functions && identifier_objection(name).empty());
  }

  std::string unknown(std::string_view name, bool is_operand, bool is_called) const {
    std::vector<std::string> operands(names_.operands.begin(), names_.operands.end()), callable;
    for (const CallableFunction& function : functions) callable.emplace_back(function.name);
    if (names_.has_row_functions)
      callable.insert(callable.end(), std::begin(row_functions), std::end(row_functions));
    std::string why = is_operand  ? formatted("'{}' is an operand and cannot be called", name)
                      : is_called ? formatted("there is no function '{}'", name)
                                  : formatted("there is no operand '{}'", name);
    if (const auto meant = nearest(name, is_called ? callable : operands); meant && !is_operand)
      why += formatted("; did you mean '{}'?", *meant);
    return formatted("{}; operands: {}; functions: {}; casts: {}", why, joined(operands, ", "),
                     joined(callable, ", "),
                     joined(dtype_names([](DType dtype) { return !is_quantized(dtype); }), ", "));
  }

  ExpressionLexer lexer_;
  const ExpressionNames& names_;
  ExpressionToken next_;
  std::string code_;
  std::map<std::string, int> ranks_;
  int depth_ = 0, divisions_ = 0;
  bool is_vector_ = true, is_rough_ = true, calls_rough_ = false;
};

}  // namespace

ExpressionCode parse_expression(std::string_view text, const ExpressionNames& names) {
  try {
    return Parser(text, names).parse();
  } catch (const ExpressionFault& fault) {
    return {{}, {}, false, false, false, formatted("column {}: {}", fault.column, fault.why)};
  }
}

}  // namespace kernelgen
