#pragma once
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads the "scan" of an operation whose operands were read, into its parts, rule, scalar "dim" and forms. Adds faults where
/// it is none.
void read_scan(const Node& node, const StringLines& lines, OperationEntry& operation, bool has_own_functions);

}  // namespace kernelgen::tool
