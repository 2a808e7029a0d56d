#include "manifest/expression.hpp"

#include "source/identifier.hpp"

namespace kernelgen::tool {

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
