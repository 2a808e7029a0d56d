#pragma once
#include <cstddef>
#include <string>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// The class of an operation on rows, a Body for kernels/row/row.hpp. `line` is the line of the source that it begins on.
std::string row_object(const Operation& operation, const Module& module, std::size_t line);

}  // namespace kernelgen::tool
