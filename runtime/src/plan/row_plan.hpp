#pragma once
#include <cstdint>

#include "kernelgen/dtype.hpp"
#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// The inputs of an operation in addition to x. A GPU block can stage rows in shared memory only with `none` or `shared`.
enum class RowOperands {
  none,
  shared,   ///< weights, the same for every row
  sums,     ///< a residual, which is added to x
  masked,   ///< a mask
  per_row,  ///< another row for each row of x
};

/// An operation on `rows` contiguous rows of n elements each.
struct RowProblem {
  std::int64_t rows, n;
  DType dtype;
  RowOperands operands;
  bool may_be_split = true;  ///< there are kernels of the forms `partial` and `combine`
};

/// One launch for whole rows; or, if rows are too long for a block and too few for the device, two: `partial` reduces parts of
/// rows, and `combine` combines these partial results.
struct RowPlan {
  std::int64_t part;    ///< elements per part; n for whole rows
  std::int64_t parts;   ///< parts of all rows
  std::uint32_t group;  ///< threads per whole row; 0 if rows are staged in shared memory, or split
  LaunchShape shape;    ///< of each launch
};
RowPlan plan_rows(const RowProblem& problem, const DeviceTraits& device);

}  // namespace kernelgen
