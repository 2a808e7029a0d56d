#pragma once
#include "compile/compiler.hpp"

namespace kernelgen {

/// The code of a request: from the cache on disk, "modules" in cache_directory(), where it is there and `is_cached`, else
/// compiled and kept there. Throws what Compiler::compile does.
CompiledCode compile(const CompileRequest& request, bool is_cached);

}  // namespace kernelgen
