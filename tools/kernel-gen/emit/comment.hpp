#pragma once
#include <string>
#include <string_view>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// How the lines of a comment begin.
inline constexpr std::string_view line_comment = "// ", doc_comment = "/// ";

/// The words of `text` as a comment of as many lines as needed, each followed by a line end.
std::string comment(std::string_view prefix, std::string_view text);

/// What the comment of an operation's functions says: its doc, and which dtypes it takes and gives.
std::string description(const Operation& operation);

}  // namespace kernelgen::tool
