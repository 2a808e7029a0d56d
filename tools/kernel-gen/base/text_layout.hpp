#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// Longest line of a generated source.
inline constexpr std::size_t line_limit = 110;

/// The items with ", " between, after `prefix` and before `suffix`, in lines of up to line_limit. Lines after the first are
/// indented by `indent` blanks. No line end after the last.
std::string fill_lines(std::string_view prefix, std::span<const std::string> items, std::string_view suffix,
                       std::size_t indent);

}  // namespace kernelgen::tool
