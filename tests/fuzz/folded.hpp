#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Programs are mostly padding, which random changes would hit. Inputs made of programs hold a run of zero bytes as a mark and its length
/// in units.
namespace kernelgen::fuzz {

constexpr char fold_mark = '\xf5';
constexpr std::size_t fold_unit = 16, most_units = 255;

inline std::string folded(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t zeros = std::min(bytes.find_first_not_of('\0', at), bytes.size()) - at;
    const std::size_t units = std::min(zeros / fold_unit, most_units);
    const bool is_mark = bytes[at] == fold_mark;  // itself a run of none
    if (units == 0) text += bytes[at];
    if (units != 0) text += fold_mark;
    if (units != 0 || is_mark) text += static_cast<char>(units);
    at += std::max<std::size_t>(units * fold_unit, 1);
  }
  return text;
}

/// In memory of its own size, so that a sanitizer sees the first byte after it read.
inline std::vector<char> unfolded(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string bytes;
  for (std::size_t at = 0; at < size;) {
    const std::size_t mark = std::min(text.find(fold_mark, at), size);
    bytes += text.substr(at, mark - at);
    at = mark + 2;
    const std::size_t units = mark + 1 < size ? data[mark + 1] : 0;
    if (units == 0 && mark < size) bytes += fold_mark;
    bytes.append(units * fold_unit, '\0');
  }
  return {bytes.begin(), bytes.end()};
}

}  // namespace kernelgen::fuzz
