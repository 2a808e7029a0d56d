#pragma once
#include <string>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// kernelgen/ops/elementwise_functions.hpp: the functions in C++, their comments made of the manifests' docs.
std::string emit_functions_header(const KernelSet& set);
/// Their definitions, which the runtime compiles.
std::string emit_functions_source(const KernelSet& set);

}  // namespace kernelgen::tool
