#include "emit/comment.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "base/text_layout.hpp"
#include "kernelgen/dtype.hpp"

namespace kernelgen::tool {

namespace {

/// Characters of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string dtypes(const TypeVariable& variable) {
  if (variable.values == find_type_set("all")) return "Any dtype";
  if (variable.values == find_type_set("F")) return "Floating point";
  if (variable.values == find_type_set("I")) return "Integers";
  std::vector<std::string_view> names;
  for (const ElementCode code : variable.values) names.push_back(element_name(code));
  return fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace

std::string comment(std::string_view prefix, std::string_view text) {
  std::string lines, line(prefix);
  bool is_empty = true;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word; is_empty = false) {
    if (!is_empty && width_of(line) + 1 + width_of(word) > line_limit) {
      lines += line + '\n';
      line = prefix;
    } else if (!is_empty) {
      line += ' ';
    }
    line += word;
  }
  return lines + line + '\n';
}

std::string description(const Operation& operation) {
  std::string text = fmt::format("{} {}", operation.doc, dtypes(operation.variables.front()));
  if (operation.input_count > 1)
    text += operation.input_count == 2 ? ", the same for both" : ", the same for all";
  text += '.';
  if (const std::string& type = operation.output().type; parse_element(type))
    text += fmt::format(" The result is {}.", type);
  return text;
}

}  // namespace kernelgen::tool
