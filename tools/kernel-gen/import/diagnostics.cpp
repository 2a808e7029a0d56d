#include "import/diagnostics.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace kernelgen::tool {

namespace {

/// Takes ":NUMBER" off the end.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  std::uint32_t number = 0;
  if (colon == std::string_view::npos) return std::nullopt;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + colon + 1, end, number).ptr != end || colon + 1 == text.size())
    return std::nullopt;
  text = text.substr(0, colon);
  return number;
}

/// "FILE:LINE:COLUMN" before `word`.
std::optional<Diagnostic> parse(std::string_view line, std::string_view word) {
  const std::size_t at = line.find(word);
  if (at == std::string_view::npos) return std::nullopt;
  Diagnostic found;
  found.what = line.substr(at + word.size());
  std::string_view location = line.substr(0, at);
  const auto column = take_number(location), number = take_number(location);
  if (!column || !number) return word == ": note: " ? std::nullopt : std::optional(found);
  found.file = location;
  found.line = *number;
  found.column = *column;
  return found;
}

}  // namespace

std::vector<Diagnostic> read_diagnostics(std::string_view text) {
  std::vector<Diagnostic> all;
  bool is_new = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (const auto note = parse(line, ": note: ")) {
      if (is_new) all.back().notes.emplace_back(note->file, note->line);
      continue;
    }
    auto error = parse(line, ": fatal error: ");
    if (!error) error = parse(line, ": error: ");
    if (!error) continue;
    is_new = std::ranges::none_of(all, [&](const Diagnostic& other) {
      return other.file == error->file && other.line == error->line && other.what == error->what;
    });
    if (is_new) all.push_back(*std::move(error));
  }
  return all;
}

}  // namespace kernelgen::tool
