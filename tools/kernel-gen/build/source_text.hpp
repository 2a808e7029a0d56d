#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// A file that a source names, in #include or in a question whether it is there.
struct Include {
  std::string name;
  bool is_quoted = false;    ///< "name": searched in the source's folder first
  bool is_question = false;  ///< __has_include

  bool operator==(const Include&) const = default;
};

/// What a compiler makes of a C++ source's bytes before it preprocesses them (the standard's phases 2 and 3).
struct SourceText {
  /// The text without comments and #line, with one blank where there was any, and a line for each directive. Sources
  /// of one text are the same to a compiler, but for the numbers of their lines.
  std::string tokens;
  std::string tokens_hash, bytes_hash;
  std::vector<Include> includes;
  bool has_computed_include = false;  ///< #include MACRO
  bool names_lines = false;           ///< __LINE__, __FILE__, assert, ...: line numbers and paths may matter
  bool names_more = false;            ///< what no list of files stands for: __DATE__, #embed, .incbin
};

SourceText read_source_text(std::string_view bytes);

}  // namespace kernelgen::tool
