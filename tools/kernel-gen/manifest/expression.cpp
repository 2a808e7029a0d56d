#include "manifest/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "manifest/identifier.hpp"

namespace kernelgen::tool {

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
      return fmt::format("must not use '{}', which {}", word, objection);
    at = std::max(end, at + 1);
  }
  return {};
}

}  // namespace

std::string expression_objection(std::string_view text) {
  if (text.find_first_not_of(' ') == std::string_view::npos) return "must not be empty";
  std::string open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' || c == '\r') return "must be one line";
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) return "must not hold control characters";
    if (static_cast<unsigned char>(c) >= 0x80) return fmt::format("must be ASCII; column {} is not", i + 1);
    if (std::string_view(";#{}\\\"`").find(c) != std::string_view::npos)
      return fmt::format("must be one expression: '{}' is not allowed", c);
    if (c == '/' && i + 1 < text.size() && (text[i + 1] == '/' || text[i + 1] == '*'))
      return "must be one expression: comments are not allowed";
    if (c == '(' || c == '[') open += c;
    if (c == ')' || c == ']') {
      if (open.empty() || open.back() != (c == ')' ? '(' : '['))
        return fmt::format("has '{}' at column {} with nothing to close", c, i + 1);
      open.pop_back();
    }
  }
  if (!open.empty()) return fmt::format("has '{}' that is never closed", open.back());
  return reserved_word_objection(text);
}

Template::Template(std::string_view text) {
  literals_.emplace_back();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t close = text[at] == '{' ? text.find('}', at) : std::string_view::npos;
    if (close != std::string_view::npos &&
        identifier_objection(text.substr(at + 1, close - at - 1)).empty()) {
      placeholders_.emplace_back(text.substr(at + 1, close - at - 1));
      literals_.emplace_back();
      at = close + 1;
    } else {
      literals_.back() += text[at++];
    }
  }
}

std::string Template::plain() const {
  std::string text = literals_.front();
  for (std::size_t i = 1; i < literals_.size(); ++i) text += "T" + literals_[i];
  return text;
}

std::string Template::fill(const Binding& binding, const Spelling& spelling) const {
  std::string text = literals_.front();
  for (std::size_t i = 0; i < placeholders_.size(); ++i) {
    const std::string_view value = binding.resolve(placeholders_[i]);
    const auto spelled = spelling.find(value);
    text += spelled == spelling.end() ? value : spelled->second;
    text += literals_[i + 1];
  }
  return text;
}

}  // namespace kernelgen::tool
