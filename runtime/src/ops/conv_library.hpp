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

/// The number of channels a library may sum over in f32 without losing more precision than sums of partial sums do.
std::int64_t channels_at_once(const ConvProblem& problem);

/// Whether a library is faster at the plain convolution that mirrored weights make of a transposed one.
bool is_worth_mirroring(const ConvProblem& problem, DType dtype);

/// The device's convolution library if it supports the problem; else null.
const ConvolutionLibrary* convolution_library(const Device& device, const ConvProblem& problem, DType dtype);

/// Enqueues the convolution by the library. Returns false if `caller` has to run it. x fits the library,
/// weight is contiguous.
bool convolve_by(const ConvolutionLibrary& library, const ConvProblem& problem, const Tensor& x,
                 const Tensor& weight, const Tensor& out, const Stream& stream,
                 const ConvolutionLibrary::Caller& caller);

}  // namespace kernelgen
