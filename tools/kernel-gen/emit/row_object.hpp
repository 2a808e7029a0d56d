#pragma once
#include <cstddef>
#include <string>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// The class of an operation on rows, as kernels/row/row.hpp calls it. `line` is that of the source on which it
/// begins.
std::string row_object(const Operation& operation, const Module& module, std::size_t line);

}  // namespace kernelgen::tool
