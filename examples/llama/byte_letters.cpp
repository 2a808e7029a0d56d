#include "byte_letters.hpp"

#include <array>

namespace {

bool is_plain(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte != 0xad);
}

/// The character of each byte.
constexpr unsigned first_other = 0x100;
std::array<unsigned, 256> make_letters() {
  std::array<unsigned, 256> letters{};
  unsigned other = first_other;
  for (unsigned byte = 0; byte < 256; ++byte) letters[byte] = is_plain(byte) ? byte : other++;
  return letters;
}

const std::array<unsigned, 256> letters = make_letters();

}  // namespace

std::string to_letters(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const unsigned letter = letters[static_cast<unsigned char>(c)];
    if (letter < 0x80) {
      text += static_cast<char>(letter);
    } else {
      text += static_cast<char>(0xc0 | letter >> 6);
      text += static_cast<char>(0x80 | (letter & 0x3f));
    }
  }
  return text;
}

std::string from_letters(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const unsigned lead = static_cast<unsigned char>(text[i]);
    const bool has_next = i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xc0) == 0x80;
    const unsigned letter = (lead & 0xe0) == 0xc0 && has_next
                                ? (lead & 0x1f) << 6 | (static_cast<unsigned char>(text[i + 1]) & 0x3f)
                                : lead;
    std::size_t byte = 0;
    while (byte < letters.size() && letters[byte] != letter) ++byte;
    if (byte == letters.size()) {
      bytes += text[i];
      continue;
    }
    bytes += static_cast<char>(byte);
    if (letter >= 0x80) ++i;
  }
  return bytes;
}
