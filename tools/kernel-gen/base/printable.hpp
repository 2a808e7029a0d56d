#pragma once
#include <cstdio>
#include <string>
#include <string_view>

namespace kernelgen::tool {

enum class Lines { one, many };

/// Text from outside (names of files, strings of JSON, what compilers say) as it may go to a terminal: UTF-8
/// stays; control characters, those that turn the direction of writing around, and bytes that are no UTF-8 are
/// spelled "\x1b" or "\u202e". Line ends and tabs stay too where `lines` is many; else they are "\n" and "\t".
std::string printable(std::string_view text, Lines lines = Lines::one);

/// The text, truncated to at most `most` bytes between two characters, with "…" if something was cut off.
std::string shortened(std::string_view text, std::size_t most);

/// Prints a line on stderr, escaped except for line ends. Errors of stderr itself are ignored: the exit code
/// still reports the failure.
void print_error(std::string_view line) noexcept;

/// Hands what was printed to the operating system. Throws std::system_error where it does not take it.
void flush(std::FILE* out);

}  // namespace kernelgen::tool
