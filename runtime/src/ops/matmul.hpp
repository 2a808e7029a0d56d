#pragma once
#include "kernelgen/tensor.hpp"

namespace kernelgen {

/// y = x weightsᵀ for x [m, n] and weights [rows, n] of bf16. y [m, rows] is contiguous f32, the accumulation
/// type. m and rows are at least 2.
void multiply_wide(const Tensor& x, const Tensor& weights, const Tensor& y, const Stream& stream);

}  // namespace kernelgen
