#include "bench/extents.hpp"

#include <algorithm>
#include <charconv>

namespace kernelgen::tool {

std::optional<double> Extents::evaluate(std::string_view text) const {
  double product = 1;
  for (char sign = '*';;) {
    const std::size_t end = std::min(text.find_first_of("*/"), text.size());
    const std::string_view word = text.substr(0, end);
    std::int64_t value = 0;
    if (const auto name = std::find(names_.begin(), names_.end(), word); name != names_.end())
      value = values_[static_cast<std::size_t>(name - names_.begin())];
    else if (const auto [last, error] = std::from_chars(word.data(), word.data() + word.size(), value);
             error != std::errc() || last != word.data() + word.size())
      return std::nullopt;
    if (sign == '/' && value == 0) return std::nullopt;
    product = sign == '*' ? product * static_cast<double>(value) : product / static_cast<double>(value);
    if (end == text.size()) return product;
    sign = text[end];
    text.remove_prefix(end + 1);
  }
}

std::int64_t Extents::integer(std::string_view text) const {
  return static_cast<std::int64_t>(evaluate(text).value());
}

std::vector<std::int64_t> Extents::integers(std::span<const std::string> texts) const {
  std::vector<std::int64_t> values;
  for (const std::string& text : texts) values.push_back(integer(text));
  return values;
}

Extents Extents::scaled_down(std::int64_t scale) const {
  Extents scaled = *this;
  if (!scaled.values_.empty()) scaled.values_[0] = std::max<std::int64_t>(1, scaled.values_[0] / scale);
  return scaled;
}

}  // namespace kernelgen::tool
