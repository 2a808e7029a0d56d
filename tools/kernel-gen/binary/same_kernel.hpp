#pragma once
#include <string_view>

#include "code_object/code_object.hpp"

namespace kernelgen::tool {

/// A kernel of a code object.
struct KernelCode {
  const CodeKernel& kernel;
  std::string_view object;  ///< the code object's bytes
};

/// Whether both take the same arguments and have the same instructions; addresses relative to the program counter may differ, as those
/// of tables that a linker placed. Throws BadCodeObject.
bool is_same_kernel(const KernelCode& a, const KernelCode& b);

}  // namespace kernelgen::tool
