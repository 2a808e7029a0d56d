#include "common/utf8.hpp"

namespace kernelgen {

Utf8Character decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || bytes > text.size() - at) return {lead, 0};
  std::uint32_t code = lead & (0x7fu >> bytes);
  for (std::size_t i = at + 1; i < at + bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {lead, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  return is_overlong || is_surrogate || code > 0x10ffff ? Utf8Character{lead, 0} : Utf8Character{code, bytes};
}

bool is_utf8(std::span<const char> text) {
  const std::string_view view(text.data(), text.size());
  for (std::size_t at = 0; at < view.size();) {
    const Utf8Character next = decode_utf8(view, at);
    if (next.bytes == 0) return false;
    at += next.bytes;
  }
  return true;
}

}  // namespace kernelgen
