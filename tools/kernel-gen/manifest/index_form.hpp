#pragma once
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads the "index" of an operation whose inputs and scalars were read, into its statement, rule, output and forms. Adds
/// faults where it is none.
void read_index(const Node& node, const StringLines& lines, OperationEntry& operation,
                bool has_own_functions);

}  // namespace kernelgen::tool
