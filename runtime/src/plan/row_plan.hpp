#pragma once
#include <cstdint>

#include "kernelgen/dtype.hpp"
#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// What each row is processed with: only its result, operands shared by all rows, the same for sums with a
/// residual, a mask, or operands of each row. Rows with the last three are not staged.
enum class RowOperands { result, shared, sums, masked, of_each_row };

/// An operation on `rows` contiguous rows of n elements each.
struct RowProblem {
  std::int64_t rows, n;
  DType dtype;
  RowOperands operands;
  bool may_be_split = true;  ///< there are kernels for parts of a row
};

/// One launch for whole rows; or, if rows are too long for a block and too few for the device, one for partial
/// results and one that combines them.
struct RowPlan {
  std::int64_t part;    ///< elements of a row per partial result; n for whole rows
  std::int64_t parts;   ///< partial results of all rows
  std::uint32_t group;  ///< threads per whole row; 0 if rows are staged in shared memory
  LaunchShape shape;    ///< of the first launch
};
RowPlan plan_rows(const RowProblem& problem, const DeviceTraits& device);

}  // namespace kernelgen
