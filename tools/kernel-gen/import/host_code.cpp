#include "import/host_code.hpp"

#include <algorithm>
#include <set>

#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

std::string* text_of(SourceTree& tree, const fs::path& folder, const std::string& path) {
  const auto file = tree.files.find(fs::path(path).lexically_relative(folder).generic_string());
  return file == tree.files.end() ? nullptr : &file->second.text;
}

/// Lines stay where they are.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < std::min(end, text.size()); ++i)
    if (text[i] != '\n') text[i] = ' ';
}

/// The offset of a line and column, both from 1.
std::size_t offset_of(const std::string& text, std::uint32_t line, std::uint32_t column) {
  std::size_t at = 0;
  for (std::uint32_t i = 1; i < line && at < text.size(); ++i) at = text.find('\n', at) + 1;
  return at + column - 1;
}

/// The smallest host declaration at namespace scope that an error is in.
const SourceRange* innermost(SourceTree& tree, const fs::path& folder, std::span<const HostDeclaration> host,
                             const Diagnostic& error) {
  const std::string* const text = text_of(tree, folder, error.file);
  if (!text) return nullptr;
  const std::size_t at = offset_of(*text, error.line, error.column);
  const SourceRange* found = nullptr;
  for (const HostDeclaration& each : host)
    if (!each.is_member && each.whole.file == error.file && each.whole.begin <= at && at < each.whole.end &&
        each.whole.end <= text->size() && (!found || each.whole.begin > found->begin))
      found = &each.whole;
  return found;
}

/// X of "unknown type name 'X'", else "".
std::string missing_type(const Diagnostic& error) {
  constexpr std::string_view start = "unknown type name '";
  if (!error.what.starts_with(start)) return "";
  std::string name = error.what.substr(start.size(), error.what.find('\'', start.size()) - start.size());
  return identifier_objection(name).empty() ? name : "";
}

/// The end of a macro's call that begins with the range, which is its name; 0 if it is none.
std::size_t end_of_call(const std::string& text, const SourceRange& range) {
  if (!identifier_objection(text.substr(range.begin, range.end - range.begin)).empty()) return 0;
  std::size_t at = text.find_first_not_of(" \t", range.end);
  if (at == std::string::npos || text[at] != '(') return range.end;
  for (int depth = 0; at < text.size(); ++at) {
    depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    if (depth == 0) return at + 1;
  }
  return 0;
}

}  // namespace

void blank_host_code(SourceTree& tree, const fs::path& folder, const Declarations& declared) {
  std::vector<SourceRange> calls;  // of macros
  for (const HostDeclaration& each : declared.host) {
    const bool is_ambiguous =
        each.is_function && !each.is_member &&
        std::ranges::find(declared.kernels, each.name, &KernelDeclaration::name) != declared.kernels.end();
    const SourceRange& range = each.body && !is_ambiguous ? *each.body : each.whole;
    std::string* const text = text_of(tree, folder, range.file);
    if (!text || range.end > text->size() || range.begin >= range.end) continue;
    if (each.is_state || is_ambiguous)
      blank(*text, range.begin, range.end);
    else if (each.body && (*text)[range.begin] == '{' && (*text)[range.end - 1] == '}')
      blank(*text, range.begin + 1, range.end - 1);
    else if (each.body && !each.is_member && each.whole.begin == range.begin)
      calls.push_back(range);
  }
  for (const SourceRange& call : calls) {
    std::string& text = *text_of(tree, folder, call.file);
    const std::size_t end = end_of_call(text, call);
    const bool has_device_code = std::ranges::any_of(declared.device, [&](const SourceRange& device) {
      return device.file == call.file && device.begin < end && call.begin < device.end;
    });
    if (!has_device_code) blank(text, call.begin, end);
  }
}

HostErrors blank_broken(SourceTree& tree, const fs::path& folder, std::span<const HostDeclaration> host,
                        std::vector<Diagnostic>& errors) {
  HostErrors found;
  std::vector<const SourceRange*> broken;
  std::set<std::string> of_device;
  std::vector<Diagnostic> left;
  for (const Diagnostic& error : errors) {
    const SourceRange* const range = innermost(tree, folder, host, error);
    if (range) {
      broken.push_back(range);
      found.all.push_back(error);
    } else {
      of_device.insert(missing_type(error));
      left.push_back(error);
    }
  }
  for (std::size_t i = 0; i < broken.size(); ++i) {
    std::string type = missing_type(found.all[i]);
    if (type.empty() || of_device.contains(type))
      blank(*text_of(tree, folder, broken[i]->file), broken[i]->begin, broken[i]->end);
    else if (std::ranges::find(found.types, type) == found.types.end())
      found.types.push_back(std::move(type));
  }
  errors = std::move(left);
  return found;
}

}  // namespace kernelgen::tool
