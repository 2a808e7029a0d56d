#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace kernelgen {

/// A character of a text, and how many bytes it takes there. Where no UTF-8 begins it takes 0, and `code` is the
/// byte.
struct Utf8Character {
  std::uint32_t code;
  std::size_t bytes;
};

/// The character that begins at `at`, an offset within the text. Well-formed ones only (Unicode 15, table 3-7: no overlong
/// forms, no surrogates).
Utf8Character decode_utf8(std::string_view text, std::size_t at);

/// True when all of the bytes are such characters.
bool is_utf8(std::span<const char> text);

}  // namespace kernelgen
