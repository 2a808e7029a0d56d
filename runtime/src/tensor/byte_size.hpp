#pragma once
#include <cstddef>

#include "kernelgen/dtype.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen {

/// Bytes of the layout's elements stored contiguously. Throws Error(invalid_argument) if the size exceeds 64
/// bits, or if the last dim is not a multiple of the dtype's block.
std::size_t byte_size(const Layout& layout, DType dtype);

}  // namespace kernelgen
