#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

std::size_t count_lines(std::string_view text);

/// "#line LINE "FILE"": compiler diagnostics for the next line name that line of the file.
std::string line_directive(std::size_t line, std::string_view file);

/// The directive that restores the source's own line numbers; `line` is the number of the directive's line.
std::string own_lines(const Module& module, std::size_t line);

/// Whether the operation is a reduction whose expressions read several inputs, or scalars.
bool reduces_operands(const Operation& operation);

/// The class that an operation's expressions become, which its kernels name; empty for an operation without expressions. `line` is
/// the line of the source that it begins on. Compiler diagnostics name an expression's line in the manifest.
std::string function_object(const Operation& operation, const Module& module, std::size_t line);

}  // namespace kernelgen::tool
