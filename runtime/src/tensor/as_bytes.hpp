#pragma once
#include "kernelgen/tensor.hpp"

namespace kernelgen {

/// The bytes of a quantized tensor as a view of u8: the last dim counts bytes of blocks.
Tensor as_bytes(const Tensor& quantized);

}  // namespace kernelgen
