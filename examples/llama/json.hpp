#pragma once
#include <cstdio>
#include <string>
#include <string_view>

/// A text as JSON. Bytes from 128 on are spelled as the characters of Latin-1: a token need not end where a
/// character does.
inline std::string json_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned>(static_cast<unsigned char>(c));
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      result += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", byte);
      result += escaped;
    }
  }
  return result + "\"";
}

template <class Range>
std::string json_list(const Range& range) {
  std::string result = "[";
  for (const auto& value : range) result += (result.size() > 1 ? ", " : "") + std::to_string(value);
  return result + "]";
}
