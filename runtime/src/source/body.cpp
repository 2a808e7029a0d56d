#include "source/body.hpp"

#include <algorithm>

#include "common/format.hpp"
#include "source/identifier.hpp"

namespace kernelgen {

namespace {

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// __DATE__ would make the code another every day, __FILE__ another in every folder; macros of the kernels end
/// the expression.
std::string reserved_word_objection(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    const std::string_view word = text.substr(at, end - at);
    if (const std::string objection = reserved_objection(word); !objection.empty())
      return formatted("must not use '{}', which {}", word, objection);
    at = std::max(end, at + 1);
  }
  return {};
}

}  // namespace

std::string body_objection(std::string_view text) {
  if (text.find_first_not_of(' ') == std::string_view::npos) return "must not be empty";
  std::string open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') return "must be one line";
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) return "must not hold control characters";
    if (static_cast<unsigned char>(c) >= 0x80) return formatted("must be ASCII; column {} is not", i + 1);
    if (std::string_view(";#{}\\\"`").find(c) != std::string_view::npos)
      return formatted("must be one expression: '{}' is not allowed", c);
    if (c == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*'))
      return "must be one expression: comments are not allowed";
    if (c == '(' || c == '[') open += c;
    if (c == ')' || c == ']') {
      if (open.empty() || open.back() != (c == ')' ? '(' : '['))
        return formatted("has '{}' at column {} with nothing to close", c, i + 1);
      open.pop_back();
    }
  }
  if (!open.empty()) return formatted("has '{}' that is never closed", open.back());
  return reserved_word_objection(text);
}

}  // namespace kernelgen
