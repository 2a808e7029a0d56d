#pragma once
#include <string>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// kernelgen/c/elementwise_functions.h: the functions in C11, their comments made of the manifests' docs.
std::string emit_c_functions_header(const KernelSet& set);
/// Their definitions, which the runtime compiles as C++.
std::string emit_c_functions_source(const KernelSet& set);

}  // namespace kernelgen::tool
