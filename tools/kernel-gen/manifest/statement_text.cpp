#include "manifest/statement_text.hpp"

namespace kernelgen::tool {

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> list_entries(std::string_view list) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    const char c = i < list.size() ? list[i] : ',';
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (c != ',' || (depth > 0 && i < list.size())) continue;
    parts.push_back(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return parts;
}

std::string placed(std::string_view text, std::string_view part) {
  return std::string(static_cast<std::size_t>(part.data() - text.data()), ' ') + std::string(part);
}

}  // namespace kernelgen::tool
