#pragma once
#include <cstddef>

#include "kernelgen/dtype.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen {

/// Of the layout's elements without gaps. Throws Error(invalid_argument) where the number does not fit 64 bits, or the
/// last dim is no multiple of the dtype's block.
std::size_t byte_size(const Layout& layout, DType dtype);

}  // namespace kernelgen
