#pragma once
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads "scan", after the operation's operands, into the operation's expressions (`reduce`), launch rule, scalar "dim" and forms.
/// Adds faults where it is invalid.
void read_scan(const Node& node, const StringLines& lines, OperationEntry& operation, bool has_own_functions);

}  // namespace kernelgen::tool
