#pragma once
#include <cstdint>
#include <string_view>

#include "ops/grid.hpp"
#include "ops/output.hpp"

/// Shared by operations on contiguous rows along the last dim.
namespace kernelgen {

/// The length of x's rows. Throws Error, with the names of the operation and the operand, if x has no last
/// dim.
std::int64_t row_length(std::string_view operation, std::string_view called, const Tensor& x);

/// What each row is processed with: only its result, operands shared by all rows, or the same for sums with a
/// residual.
enum class RowOperands { result, shared, sums };

/// The launch over rows, and the threads per row: 0 if rows are staged in shared memory.
struct RowGrid {
  LaunchShape shape;
  std::uint32_t group;
};
RowGrid row_grid(const Device& device, std::int64_t rows, std::int64_t n, DType dtype, RowOperands operands);

/// Elements per part if rows are too long for a block and too few for the device; else n.
std::int64_t row_part(const Device& device, std::int64_t rows, std::int64_t n, DType dtype,
                      RowOperands operands);

/// Workspace for the States of `parts` parts.
Tensor row_states(const Device& device, std::int64_t parts, const Stream& stream);

/// One block per part.
LaunchShape row_parts_grid(const Device& device, std::int64_t parts);

/// Throws Error unless weights and biases have x's dtype and the length of its rows.
void check_weights(std::string_view operation, const Tensor& x, Inputs weights);

/// Throws Error if eps is negative, or not finite in the type x's dtype is computed in.
void check_eps(std::string_view operation, const Tensor& x, double eps);

}  // namespace kernelgen
