#pragma once
#include <string>

#include "manifest/kernel.hpp"
#include "manifest/node.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// Content of registry.json: modules, operations, kernels with their arguments, the structs passed by value,
/// targets. Ids are indices of "kernels", as everywhere else.
Json registry_json(const KernelSet& set, const TargetTable& targets);

/// One line for each element of the top-level arrays: small differences stay small in a diff.
std::string format_rows(const Json& json);

}  // namespace kernelgen::tool
