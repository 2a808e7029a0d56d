#pragma once
#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads "body", after the operation's inputs and scalars, into its launch rule, output and forms. Adds faults where it is invalid.
void read_body(const Node& node, const StringLines& lines, OperationEntry& operation);

/// The preprocessor's condition for code for a target, as a constant's table names it: "cpu", "gfx90a", "gfx11-generic", "sm_90";
/// empty for a name that is no target.
std::string target_condition(std::string_view target);

}  // namespace kernelgen::tool
