#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace kernelgen::tool {

/// Values that options take. The messages are our own: those of CLI11 differ from release to release.

/// Refuses values that are not a whole number from `least` to `most`.
inline CLI::Validator whole_number(unsigned least, unsigned most) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        unsigned value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
          return {};
        return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
      },
      "");
}

/// Refuses values other than `words`, which completions offer.
inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        if (std::ranges::find(words, text) != words.end()) return {};
        return fmt::format("'{}' is not one of {}", text, fmt::join(words, ", "));
      },
      fmt::format("{{{}}}", fmt::join(words, ",")));
}

}  // namespace kernelgen::tool
