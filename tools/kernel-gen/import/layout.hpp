#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/declarations.hpp"

namespace kernelgen::tool {

/// C++ that describes the parameters of kernels in constants of the object, and has each kernel compiled.
std::string layout_source(std::span<const KernelDeclaration> kernels);

/// The parameters' types as a manifest takes them ("const f32*", "Bytes<24,8>"), from the LLVM IR of layout_source(): for each
/// kernel as many as it has. An empty one cannot be passed.
std::vector<std::vector<std::string>> read_layouts(std::string_view ir, std::size_t kernels);

}  // namespace kernelgen::tool
