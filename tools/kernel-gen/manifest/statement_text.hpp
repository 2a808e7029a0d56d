#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// `text` without blanks at both ends.
std::string_view trimmed(std::string_view text);

/// The parts between commas that are in no brackets.
std::vector<std::string_view> list_entries(std::string_view list);

/// `part` of `text` after a blank for each character before it, so that columns count from the beginning of `text`.
std::string placed(std::string_view text, std::string_view part);

}  // namespace kernelgen::tool
