#include "build/depfile.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Escapes make's special characters in a name: a backslash before blanks and '#', '$' doubled.
std::string escaped(const fs::path& path) {
  std::string text;
  for (const char c : path.string()) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

std::vector<fs::path> read_depfile(std::string_view text) {
  std::vector<fs::path> files;
  std::string name;
  bool is_input = false;
  const auto finish = [&] {
    if (!name.empty() && is_input) files.emplace_back(name);
    name.clear();
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const char next = at + 1 < text.size() ? text[at + 1] : '\n';
    if (c == '\\' && (next == ' ' || next == '#')) {
      name += next;
      ++at;
    } else if (c == '\\' && (next == '\n' || next == '\r')) {
      finish();
    } else if (c == '$' && next == '$') {
      name += c;
      ++at;
    } else if (is_blank(c)) {
      finish();
    } else if (c == ':' && is_blank(next) && !is_input) {
      name.clear();
      is_input = true;
    } else {
      name += c;
    }
  }
  finish();
  return files;
}

std::string write_depfile(std::span<const fs::path> outputs, std::span<const fs::path> inputs) {
  std::string text;
  for (const fs::path& output : outputs) text += (text.empty() ? "" : " ") + escaped(output);
  text += ':';
  for (const fs::path& input : inputs) text += " \\\n  " + escaped(input);
  return text + '\n';
}

}  // namespace kernelgen::tool
