#pragma once
#include "kernelgen/tensor.hpp"
#include "library/convolution_library.hpp"
#include "ops/conv_problem.hpp"

namespace kernelgen {

/// Whether a library that takes what lies outside of x for zeros multiplies any of them.
bool multiplies_padding(const ConvProblem& problem);

/// Whether a library takes x as it lies: rows without gaps, and rows, channels and images behind one another.
bool fits_library(const ConvProblem& problem, const Tensor& x);

/// Puts the convolution into the stream as products of matrices, where it is that: of kernels of one element. False,
/// and nothing done, where it is not, or no library multiplies them.
bool convolve_by_products(const ConvProblem& problem, const Tensor& x, const Tensor& weight,
                          const Tensor& out, const Stream& stream);

/// Channels that a library may sum over without losing more digits than sums of sums do.
std::int64_t channels_at_once(const ConvProblem& problem);

/// The library that convolves on the device, where it takes the problem; else null.
const ConvolutionLibrary* convolution_library(const Device& device, const ConvProblem& problem, DType dtype);

/// Puts the convolution into the stream by the library. False where `caller` has to do it. x fits it, weight is
/// contiguous.
bool convolve_by(const ConvolutionLibrary& library, const ConvProblem& problem, const Tensor& x,
                 const Tensor& weight, const Tensor& out, const Stream& stream,
                 const ConvolutionLibrary::Caller& caller);

}  // namespace kernelgen
