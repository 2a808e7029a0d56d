#pragma once
#include <filesystem>

#include "compile/compiler.hpp"

namespace kernelgen {

/// clang++ of the system, for CPUs: the one that KERNELGEN_CLANG names, else the newest that is tested in PATH.
class ClangCompiler final : public Compiler {
 public:
  /// Throws Error(unsupported) if there is no clang++.
  ClangCompiler();
  CompiledCode compile(const CompileRequest& request) const override;

 private:
  std::filesystem::path clang_;
};

}  // namespace kernelgen
