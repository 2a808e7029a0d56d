#pragma once
#include <string>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// The module's source, to be compiled with the kernels folder as its include path. The same set gives the
/// same bytes.
std::string emit_source(const KernelSet& set, const Module& module);

}  // namespace kernelgen::tool
