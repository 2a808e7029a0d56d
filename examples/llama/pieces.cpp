#include "pieces.hpp"

#include <algorithm>
#include <string>

namespace {

enum class Class { blank, letter, digit, sign };

Class class_of(char c) {
  if (c == ' ' || (c >= '\t' && c <= '\r')) return Class::blank;
  if (c >= '0' && c <= '9') return Class::digit;
  const bool is_letter =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  return is_letter ? Class::letter : Class::sign;
}

/// Bytes from `at` on that are of one class, `most` at most.
std::size_t run(std::string_view text, std::size_t at, std::size_t most) {
  std::size_t length = 0;
  while (at + length < text.size() && length < most && class_of(text[at + length]) == class_of(text[at]))
    ++length;
  return length;
}

std::size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

std::size_t piece_length(std::string_view text, std::size_t most_digits) {
  if (const std::size_t length = contraction(text)) return length;
  const std::size_t digits = most_digits == 0 ? std::string::npos : most_digits;
  if (class_of(text[0]) == Class::blank) {
    const std::size_t blanks = run(text, 0, std::string::npos);
    if (blanks == text.size()) return blanks;
    // The last blank goes with what follows where it is a space, else it is a piece.
    if (blanks > 1) return blanks - 1;
    const bool takes_space = text[0] == ' ' && (class_of(text[1]) != Class::digit || most_digits == 0);
    return takes_space ? 1 + run(text, 1, std::string::npos) : 1;
  }
  return run(text, 0, class_of(text[0]) == Class::digit ? digits : std::string::npos);
}

}  // namespace

std::vector<std::string_view> cut_into_pieces(std::string_view text, std::size_t most_digits) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    pieces.push_back(text.substr(0, piece_length(text, most_digits)));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}
