#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace kernelgen {

/// A syntax error in an expression, thrown by the lexer and the parser.
struct ExpressionFault {
  std::size_t column;  ///< from 1
  std::string why;
};

struct ExpressionToken {
  enum class Kind { end, name, number, symbol };

  Kind kind = Kind::end;
  std::string_view text;   ///< empty at the end
  std::string_view space;  ///< before it
  std::size_t column = 1;
};

/// Splits an expression into the tokens that C++ would split it into.
class ExpressionLexer {
 public:
  /// Each character of `more` is a symbol too. Throws ExpressionFault for a text of more than 4,096 characters.
  explicit ExpressionLexer(std::string_view text, std::string_view more = {});

  /// Throws ExpressionFault for a character that no expression has, and for a malformed number.
  ExpressionToken next();

 private:
  std::string_view text_, more_;
  std::size_t at_ = 0;
};

}  // namespace kernelgen
