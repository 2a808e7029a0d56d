#pragma once
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <string>

namespace kernelgen::tool {

/// Refuses values of an option that are no whole number from `least` to `most`. CLI11's own words for that differ from
/// release to release.
inline CLI::Validator whole_number(unsigned least, unsigned most) {
  return CLI::Validator(
      [=](const std::string& text) -> std::string {
        unsigned value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most)
          return {};
        return fmt::format("'{}' is no whole number from {} to {}", text, least, most);
      },
      "");
}

}  // namespace kernelgen::tool
