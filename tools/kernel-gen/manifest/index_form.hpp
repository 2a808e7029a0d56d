#pragma once
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads "index", after the operation's inputs and scalars, into its statement, launch rule, output and forms. Adds faults where it
/// is invalid.
void read_index(const Node& node, const StringLines& lines, OperationEntry& operation,
                bool has_own_functions);

}  // namespace kernelgen::tool
