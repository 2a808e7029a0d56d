#pragma once
#include <cstdint>
#include <string_view>

#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/scalar_element.hpp"
#include "plan/row_plan.hpp"

/// Shared by operations on contiguous rows along the last dim.
namespace kernelgen {

/// The length of x's rows. Throws Error, with the names of the operation and the operand, if x has no last
/// dim.
std::int64_t row_length(std::string_view operation, std::string_view called, const Tensor& x);

/// Workspace for the partial results (States) of `parts` parts of rows, of up to kg::row_state_bytes each.
Tensor row_states(const Device& device, std::int64_t parts, const Stream& stream);

/// Throws Error unless weights and biases have x's dtype and the length of its rows.
void check_weights(std::string_view operation, const Tensor& x, Inputs weights);

/// Throws Error if eps is negative, or not finite in the type that x's dtype is computed in.
void check_eps(std::string_view operation, const Tensor& x, double eps);

/// A call of an operation with the forms `rows` and, if rows may be split, `partial` and `combine` (row_forms() in
/// tools/kernel-gen/manifest/row_steps.cpp gives their arguments). All pointers are to contiguous rows.
struct RowCall {
  const Operation& operation;
  RowProblem problem;
  std::span<const void* const> sources;   ///< x, and for sums the residual
  std::span<const void* const> operands;  ///< other inputs, which only the last step reads
  /// Elements from one row of an operand to the next, 0 for one row for all; only of operands for which kernels have such an
  /// argument.
  std::span<const std::int64_t> row_strides;
  std::span<void* const> results;  ///< y; before it, for sums, where x + residual is stored
  std::span<const ScalarElement> scalars;

  /// Launches `rows`, or `partial` and `combine`, as plan_rows() says.
  void run(const Device& device, const Stream& stream) const;
};

}  // namespace kernelgen
