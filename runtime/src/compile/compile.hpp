#pragma once
#include "compile/compiler.hpp"

namespace kernelgen {

/// The code of a request: from the disk cache, "modules" in cache_directory(), if `is_cached` and present,
/// else compiled and cached. Throws the errors of Compiler::compile.
CompiledCode compile(const CompileRequest& request, bool is_cached);

}  // namespace kernelgen
