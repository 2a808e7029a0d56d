#pragma once
#include <cstdint>
#include <string_view>

#include "ops/grid.hpp"
#include "ops/output.hpp"

/// What operations on contiguous rows, the elements along the last dim, share.
namespace kernelgen {

/// The length of x's rows. Refuses, naming the operation and what it calls x, a tensor without a last dim.
std::int64_t row_length(std::string_view operation, std::string_view called, const Tensor& x);

/// What a row's elements go with: nothing but the result's, or others that all rows share; or the same of sums.
enum class RowOperands { result, shared, sums };

/// The blocks for rows, and how many of their threads share one: 0 where rows come through shared memory.
struct RowGrid {
  LaunchShape shape;
  std::uint32_t group;
};
RowGrid row_grid(const Device& device, std::int64_t rows, std::int64_t n, DType dtype, RowOperands operands);

/// Elements of the parts that rows are cut into which are too long for a block and too few for the device, or n.
std::int64_t row_part(const Device& device, std::int64_t rows, std::int64_t n, DType dtype,
                      RowOperands operands);

/// Room for the States of that many parts.
Tensor row_states(const Device& device, std::int64_t parts, const Stream& stream);

/// A block a part.
LaunchShape row_parts_grid(const Device& device, std::int64_t parts);

/// Refuses weights and biases that have not x's dtype and the length of its rows.
void check_weights(std::string_view operation, const Tensor& x, Inputs weights);

/// Refuses an eps that is negative, or not finite in what x's dtype is computed in.
void check_eps(std::string_view operation, const Tensor& x, double eps);

}  // namespace kernelgen
