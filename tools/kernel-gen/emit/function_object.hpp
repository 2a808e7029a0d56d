#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

std::size_t count_lines(std::string_view text);

/// Compiler diagnostics for the lines after it name that line of the file.
std::string line_directive(std::size_t line, std::string_view file);

/// The directive after which the source's own line numbers apply again; `line` is its own line number.
std::string own_lines(const Module& module, std::size_t line);

/// Whether the operation is a reduction whose expressions read several inputs, or scalars.
bool reduces_operands(const Operation& operation);

/// What an operation's expressions are compiled as: a class that its kernels name. It begins on the `line` of the source;
/// expressions keep their lines in the manifest. Empty where there are none.
std::string function_object(const Operation& operation, const Module& module, std::size_t line);

}  // namespace kernelgen::tool
