#pragma once
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads the "body" of an operation whose inputs and scalars were read, into its rule, output and forms. Adds faults where
/// it is none.
void read_body(const Node& node, const StringLines& lines, OperationEntry& operation);

/// The condition of the preprocessor that code for the target of a constant's table is compiled under; empty for a name that
/// is none: "cpu", "gfx90a", "gfx11-generic", "sm_90".
std::string target_condition(std::string_view target);

}  // namespace kernelgen::tool
