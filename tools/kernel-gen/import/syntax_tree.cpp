#include "import/syntax_tree.hpp"

#include <charconv>

namespace kernelgen::tool {

namespace {

/// The location written last, which the next one leaves out as far as it is the same.
struct Location {
  std::string file;
  std::uint64_t line = 0;
};

constexpr std::string_view file_key = "\"file\": \"", line_key = "\"line\": ";

/// Whether the "file" at a position belongs to a location and not to "includedFrom".
bool is_location(std::string_view text, std::size_t at) {
  const std::size_t line_end = text.rfind('\n', at);
  const std::size_t line_begin =
      line_end == std::string_view::npos ? line_end : text.rfind('\n', line_end - 1);
  return line_begin != std::string_view::npos &&
         text.substr(line_begin, line_end - line_begin).find("\"offset\"") != std::string_view::npos;
}

std::string_view file_at(std::string_view text, std::size_t at) {
  const std::size_t begin = at + file_key.size();
  return text.substr(begin, text.find('"', begin) - begin);
}

/// The last "file" of a location.
std::size_t last_location(std::string_view text) {
  std::size_t at = text.rfind(file_key);
  while (at != std::string_view::npos && !is_location(text, at))
    at = at == 0 ? std::string_view::npos : text.rfind(file_key, at - 1);
  return at;
}

/// Follows what a skipped part says of locations.
void skip(std::string_view part, Location& location) {
  if (const std::size_t at = last_location(part); at != std::string_view::npos)
    location.file = file_at(part, at);
  if (const std::size_t at = part.rfind(line_key); at != std::string_view::npos)
    std::from_chars(part.data() + at + line_key.size(), part.data() + part.size(), location.line);
}

void fill_locations(Json& node, Location& location) {
  if (node.is_array()) {
    for (Json& item : node) fill_locations(item, location);
    return;
  }
  if (!node.is_object()) return;
  if (node.contains("offset")) {
    if (const auto file = node.find("file"); file != node.end() && file->is_string())
      location.file = file->get<std::string>();
    if (const auto line = node.find("line"); line != node.end() && line->is_number_unsigned())
      location.line = line->get<std::uint64_t>();
    node["file"] = location.file;
    node["line"] = location.line;
    return;
  }
  for (auto& [key, value] : node.items()) fill_locations(value, location);
}

}  // namespace

void visit_syntax_tree(std::string_view text, const std::function<bool(std::string_view)>& is_wanted,
                       const std::function<void(const Json&)>& visit) {
  // clang indents: an outermost declaration is what these lines enclose.
  constexpr std::string_view begin_line = "\n    {\n", end_line = "\n    }";
  Location location;
  for (std::size_t at = text.find(begin_line); at != std::string_view::npos;) {
    std::size_t end = text.find(end_line, at);
    if (end == std::string_view::npos) return;
    end += end_line.size();
    const std::string_view part = text.substr(at + 1, end - at - 1);
    // Its own location is in its first lines, with that of the macro expansion last.
    std::string_view file = location.file;
    const std::size_t head = part.find("\"range\": {");
    if (const std::size_t named = last_location(part.substr(0, head)); named != std::string_view::npos)
      file = file_at(part, named);
    if (is_wanted(file)) {
      Json declaration = Json::parse(part);
      fill_locations(declaration, location);
      visit(declaration);
    } else {
      skip(part, location);
    }
    at = text.find(begin_line, end - 1);
  }
}

}  // namespace kernelgen::tool
