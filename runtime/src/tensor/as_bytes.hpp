#pragma once
#include "kernelgen/tensor.hpp"

namespace kernelgen {

/// The bytes of a quantized tensor as a view of u8: its blocks are what its last dim becomes.
Tensor as_bytes(const Tensor& quantized);

}  // namespace kernelgen
