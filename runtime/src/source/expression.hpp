#pragma once
#include <string>
#include <string_view>

namespace kernelgen {

/// Why `text` cannot stand as an expression in a generated source; empty when it can. This is no parser: it
/// keeps a manifest, or a program, from writing anything but an expression, the compiler judges the rest. Reads on
/// from the key's name.
std::string expression_objection(std::string_view text);

}  // namespace kernelgen
