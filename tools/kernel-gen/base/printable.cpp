#include "base/printable.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "common/utf8.hpp"

namespace kernelgen::tool {

namespace {

/// C0 and C1 controls, line and paragraph separators, and marks that reorder the text after them.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text, Lines lines) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character c = decode_utf8(text, at);
    const std::size_t bytes = c.bytes == 0 ? 1 : c.bytes;
    if (c.bytes != 0 && (!is_control(c.code) || (lines == Lines::many && (c.code == '\n' || c.code == '\t'))))
      shown += text.substr(at, bytes);
    else if (c.code == '\n')
      shown += "\\n";
    else if (c.code == '\t')
      shown += "\\t";
    else if (bytes == 1)
      shown += fmt::format("\\x{:02x}", c.code);
    else
      shown += fmt::format("\\u{:04x}", c.code);
    at += bytes;
  }
  return shown;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most)) + "…";
}

void print_error(std::string_view line) noexcept {
  try {
    const std::string text = printable(line, Lines::many) + '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("kernel-gen: error: out of memory\n", stderr);
  }
}

void flush(std::FILE* out) {
  errno = 0;
  if (std::fflush(out) != 0 || std::ferror(out) != 0)
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), "cannot write the output");
}

}  // namespace kernelgen::tool
