#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "code_object/cubin.hpp"

namespace kernelgen::tool {
namespace {

/// The text between the first `open` after `from` and the next `close`.
std::string_view between(std::string_view text, std::size_t from, char open, char close,
                         std::string_view what) {
  const std::size_t begin = text.find(open, from);
  const std::size_t end = text.find(close, begin);
  if (begin == std::string_view::npos || end == std::string_view::npos)
    throw BadCodeObject(fmt::format("PTX: {}: no '{}' … '{}'", what, open, close));
  return text.substr(begin + 1, end - begin - 1);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::optional<std::uint32_t> number_after(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  std::uint32_t value = 0;
  const std::string_view rest = text.substr(at + key.size());
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc() || end == rest.data()) return std::nullopt;
  return value;
}

/// Bytes of ".u64", ".f32", ".b8" …: the digits of the type are bits.
std::uint32_t type_bytes(std::string_view parameter) {
  for (const std::string_view kind : {" .u", " .s", " .b", " .f"})
    if (const auto bits = number_after(parameter, kind)) return *bits / 8;
  throw BadCodeObject(fmt::format("PTX: parameter '{}': unknown type", parameter));
}

/// One of ".param .u64 name" or ".param .align 8 .b8 name[104]", appended to those before it.
CodeArgument read_parameter(std::string_view parameter, std::uint32_t end) {
  CodeArgument argument;
  const std::uint32_t element = type_bytes(parameter);
  const std::uint32_t alignment = number_after(parameter, ".align ").value_or(element);
  const std::uint32_t count = number_after(parameter, "[").value_or(1);
  constexpr std::uint32_t most = 1u << 16;  // far above what any GPU takes
  if (element == 0 || alignment == 0 || alignment > most || count > most)
    throw BadCodeObject(fmt::format("PTX: parameter '{}': wild size or alignment", parameter));
  argument.offset = (end + alignment - 1) / alignment * alignment;
  argument.size = element * count;
  return argument;
}

CodeKernel read_entry(std::string_view text, std::size_t at) {
  constexpr std::string_view keyword = ".entry";
  CodeKernel kernel;
  const std::size_t name = at + keyword.size();
  kernel.name = trimmed(text.substr(name, text.find('(', name) - name));
  std::string_view rest = between(text, name, '(', ')', kernel.name);
  while (!trimmed(rest).empty()) {
    const std::size_t comma = rest.find(',');
    kernel.arguments.push_back(read_parameter(trimmed(rest.substr(0, comma)), kernel.kernarg_bytes));
    kernel.kernarg_bytes = kernel.arguments.back().offset + kernel.arguments.back().size;
    if (kernel.kernarg_bytes > (1u << 24))
      throw BadCodeObject("PTX: " + kernel.name + ": too many parameters");
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  const std::string_view head = text.substr(name, text.find('{', name) - name);
  kernel.max_block = number_after(head, ".maxntid ").value_or(0);
  kernel.wave_size = 32;
  return kernel;
}

}  // namespace

CodeObject read_ptx(std::string_view text) {
  CodeObject object;
  object.kind = CodeKind::ptx;
  const auto processor = number_after(text, ".target sm_");
  if (!processor) throw BadCodeObject("PTX: no '.target sm_N' line");
  object.processor = fmt::format("compute_{}", *processor);
  object.target_id = object.processor;
  for (std::size_t at = text.find(".entry "); at != std::string_view::npos; at = text.find(".entry ", at + 1))
    object.kernels.push_back(read_entry(text, at));
  return object;
}

std::string_view ptx_entry(std::string_view text, std::string_view kernel) {
  for (std::size_t at = text.find(".entry "); at != std::string_view::npos;
       at = text.find(".entry ", at + 1)) {
    const std::size_t name = at + std::string_view(".entry ").size();
    if (trimmed(text.substr(name, text.find('(', name) - name)) != kernel) continue;
    const std::size_t line = text.rfind('\n', at);
    const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
    int depth = 0;
    for (std::size_t end = text.find('{', name); end < text.size(); ++end) {
      if (text[end] == '{') ++depth;
      if (text[end] == '}' && --depth == 0) return text.substr(begin, end + 1 - begin);
    }
    return text.substr(begin);
  }
  return {};
}

}  // namespace kernelgen::tool
