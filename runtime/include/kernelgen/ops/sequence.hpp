#pragma once
#include <cstdint>

#include "kernelgen/call.hpp"

/// Numbers in sequence.
namespace kernelgen {

/// start, start + step, start + 2 · step, …, up to but without `stop`: ceil((stop - start) / step) elements,
/// none if that is negative. Every dtype; elements of floats are computed in f64 and rounded once. Throws
/// Error(invalid_argument) for a step of 0, for numbers that are not finite and, if the dtype is an integer,
/// for numbers that are not, or a start that is outside its range.
Tensor arange(const Device& device, const Scalar& start, const Scalar& stop, const Scalar& step = 1,
              DType dtype = DType::f32, const CallOptions& options = {});

/// The sinusoidal embedding of points in time, as in diffusion models: x [n] of floats becomes [n, columns],
/// of x's dtype. Row i has cos(x[i] · f_j), then sin(x[i] · f_j), for each j below half = columns / 2, and
/// a zero if `columns` is odd; f_j = max_period^(-j / half). x has any layout.
Tensor timestep_embedding(const Tensor& x, std::int64_t columns, double max_period = 10000,
                          const CallOptions& options = {});

}  // namespace kernelgen
