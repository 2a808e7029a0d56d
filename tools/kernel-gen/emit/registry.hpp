#pragma once
#include <string>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// kernelgen_registry.h: dense kernel ids, the tables' declarations and the lookup by name, for C11 and C++.
std::string emit_registry_header(const KernelSet& set);
/// kernelgen_registry.c: the tables.
std::string emit_registry_source(const KernelSet& set);

}  // namespace kernelgen::tool
