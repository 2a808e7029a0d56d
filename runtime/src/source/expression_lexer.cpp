#include "source/expression_lexer.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "common/format.hpp"

namespace kernelgen {
namespace {

/// A compiler's recursion grows with the number of operators.
constexpr std::size_t most_characters = 4096;

// Not <cctype>: what a letter is must not depend on the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/// Longest first: tokens are as long as can be. C++ has "--" and "++", which change an operand.
constexpr std::string_view symbols[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "--",
                                        "++", "|",  "^",  "&",  "<",  ">",  "+",  "-",  "*",
                                        "/",  "%",  "!",  "~",  "?",  ":",  "(",  ")",  ","};

/// Takes the characters of a kind from the front.
template <class IsOne>
std::string_view take_while(std::string_view& text, IsOne is_one) {
  const std::string_view taken(text.begin(), std::ranges::find_if_not(text, is_one));
  text.remove_prefix(taken.size());
  return taken;
}

/// Why the number is none; empty when it is a literal of C++ without suffixes but 'f' and 'u'.
std::string_view number_objection(std::string_view text) {
  const bool is_hex = text.starts_with("0x") || text.starts_with("0X");
  if (is_hex) text.remove_prefix(2);
  std::string_view rest = text;
  const auto is_one = is_hex ? is_hex_digit : is_digit;
  const std::string_view whole = take_while(rest, is_one);
  const bool has_point = rest.starts_with('.');
  if (has_point) rest.remove_prefix(1);
  const std::string_view fraction = has_point ? take_while(rest, is_one) : std::string_view();
  bool has_exponent = false;
  if (!rest.empty() && (rest[0] | 0x20) == (is_hex ? 'p' : 'e')) {
    rest.remove_prefix(1);
    if (rest.starts_with('+') || rest.starts_with('-')) rest.remove_prefix(1);
    has_exponent = !take_while(rest, is_digit).empty();
    if (!has_exponent) return "has no digits in its exponent";
  }
  if (whole.empty() && fraction.empty()) return "has no digits";
  if (is_hex && has_point && !has_exponent) return "has no exponent ('p')";
  if (has_point || has_exponent) return rest.empty() || rest == "f" || rest == "F" ? "" : "is not a number";
  if (!rest.empty() && rest != "u" && rest != "U") return "is not a number";
  if (!is_hex && whole.size() > 1 && whole[0] == '0') return "begins with 0, which makes it octal in C";
  std::int64_t value = 0;
  const auto read = std::from_chars(whole.data(), whole.data() + whole.size(), value, is_hex ? 16 : 10);
  return read.ec == std::errc() ? "" : "does not fit in i64";
}

}  // namespace

ExpressionLexer::ExpressionLexer(std::string_view text, std::string_view more) : text_(text), more_(more) {
  if (text.size() > most_characters)
    throw ExpressionFault{most_characters + 1, formatted("the expression has {} characters; it may have {}",
                                                         text.size(), most_characters)};
}

ExpressionToken ExpressionLexer::next() {
  using Kind = ExpressionToken::Kind;
  std::string_view rest = text_.substr(at_);
  ExpressionToken token;
  token.space = take_while(rest, [](char c) { return c == ' '; });
  at_ += token.space.size();
  token.column = at_ + 1;
  if (rest.empty()) return token;
  const auto ends_at = [&](Kind kind, std::size_t size) {
    token.kind = kind;
    token.text = rest.substr(0, size);
    at_ += size;
    return token;
  };
  const auto fault = [&](std::string why) { return ExpressionFault{token.column, std::move(why)}; };

  const char c = rest[0];
  if (is_letter(c)) {
    std::string_view after = rest;
    return ends_at(Kind::name, take_while(after, [](char l) { return is_letter(l) || is_digit(l); }).size());
  }
  if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) {
    // As C++'s preprocessor does: "0x1e+3" is one token.
    std::size_t size = 1;
    for (; size < rest.size(); ++size) {
      const bool is_sign = rest[size] == '+' || rest[size] == '-';
      const char before = static_cast<char>(rest[size - 1] | 0x20);
      if (is_sign ? before != 'e' && before != 'p'
                  : !is_letter(rest[size]) && !is_digit(rest[size]) && rest[size] != '.')
        break;
    }
    if (const auto objection = number_objection(rest.substr(0, size)); !objection.empty())
      throw fault(formatted("'{}' {}", rest.substr(0, size), objection));
    return ends_at(Kind::number, size);
  }
  for (const std::string_view symbol : symbols)
    if (rest.starts_with(symbol)) return ends_at(Kind::symbol, symbol.size());
  if (more_.find(c) != more_.npos) return ends_at(Kind::symbol, 1);
  if (c == '=') throw fault("assignments are not allowed; '==' compares");
  if (c < ' ' || c > '~')
    throw fault(formatted("the character of code {} is not allowed", static_cast<unsigned char>(c)));
  throw fault(formatted("'{}' is not allowed", c));
}

}  // namespace kernelgen
