#pragma once
#include <cstdio>

namespace kernelgen::tool {

/// Prints the tool's version, that of the packages it reads and writes, and that of the LLVM it reads code with.
int run_version(bool json, std::FILE* out);

}  // namespace kernelgen::tool
