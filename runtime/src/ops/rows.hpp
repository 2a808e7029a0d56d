#pragma once
#include <cstdint>
#include <string_view>

#include "ops/output.hpp"

/// Shared by operations on contiguous rows along the last dim.
namespace kernelgen {

/// The length of x's rows. Throws Error, with the names of the operation and the operand, if x has no last
/// dim.
std::int64_t row_length(std::string_view operation, std::string_view called, const Tensor& x);

/// Workspace for the States of `parts` parts.
Tensor row_states(const Device& device, std::int64_t parts, const Stream& stream);

/// Throws Error unless weights and biases have x's dtype and the length of its rows.
void check_weights(std::string_view operation, const Tensor& x, Inputs weights);

/// Throws Error if eps is negative, or not finite in the type x's dtype is computed in.
void check_eps(std::string_view operation, const Tensor& x, double eps);

}  // namespace kernelgen
