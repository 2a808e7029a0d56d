#include "base/text_layout.hpp"

namespace kernelgen::tool {

std::string fill_lines(std::string_view prefix, std::span<const std::string> items, std::string_view suffix,
                       std::size_t indent) {
  std::string text(prefix);
  std::size_t column = prefix.size();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_last = i + 1 == items.size();
    const std::size_t width = items[i].size() + (is_last ? suffix.size() : 1);
    if (i > 0 && column + 1 + width > line_limit) {
      text += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (i > 0) {
      text += ' ';
      ++column;
    }
    text += items[i];
    if (!is_last) text += ',';
    column += items[i].size() + 1;
  }
  return text + std::string(suffix);
}

}  // namespace kernelgen::tool
