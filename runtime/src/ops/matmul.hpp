#pragma once
#include "kernelgen/tensor.hpp"

namespace kernelgen {

/// y = x weightsᵀ for x [m, n] and weights [rows, n] of bf16 and y [m, rows], contiguous, of f32, which the sums stay in. m
/// and rows are 2 or more.
void multiply_wide(const Tensor& x, const Tensor& weights, const Tensor& y, const Stream& stream);

}  // namespace kernelgen
