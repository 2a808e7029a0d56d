#pragma once
#include <string>
#include <string_view>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// How the lines of a comment begin and the last one ends.
struct CommentStyle {
  std::string_view first, next, end;
};
inline constexpr CommentStyle line_comment = {"// ", "// ", ""};
inline constexpr CommentStyle doc_comment = {"/// ", "/// ", ""};
inline constexpr CommentStyle block_comment = {"/* ", " * ", " */"};

/// The words of `text` as a comment of as many lines as needed, each followed by a line end.
std::string comment(const CommentStyle& style, std::string_view text);

/// What the comment of an operation's functions says: its doc, and which dtypes it takes and gives.
std::string description(const Operation& operation);

}  // namespace kernelgen::tool
