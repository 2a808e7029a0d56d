#pragma once
#include "kernelgen/tensor.hpp"
#include "library/convolution_library.hpp"
#include "ops/conv_problem.hpp"

namespace kernelgen {

/// Whether a library that reads padding as zeros multiplies any of them.
bool multiplies_padding(const ConvProblem& problem);

/// Whether a library takes x without a copy: contiguous rows, and rows, channels and images stored one after
/// another.
bool fits_library(const ConvProblem& problem, const Tensor& x);

/// Enqueues the convolution as matrix products if kernels have one element. Returns false and enqueues
/// nothing if they do not, or if no library multiplies the matrices.
bool convolve_by_products(const ConvProblem& problem, const Tensor& x, const Tensor& weight,
                          const Tensor& out, const Stream& stream);

/// The device's convolution library if it supports the problem; else null.
const ConvolutionLibrary* convolution_library(const Device& device, const ConvProblem& problem, DType dtype);

/// Enqueues the convolution by the fastest algorithm of the library or the caller. Returns false and enqueues nothing if x does not
/// fit the library. The weight is contiguous.
bool convolve_by(const ConvolutionLibrary& library, const ConvProblem& problem, const Tensor& x,
                 const Tensor& weight, const Tensor& out, const Stream& stream,
                 const ConvolutionLibrary::Caller& caller);

}  // namespace kernelgen
