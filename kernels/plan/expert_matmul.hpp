#pragma once
/// Division of products with experts into work for blocks, shared by kernels and their callers.
#include "plan/matmul.hpp"

namespace kg {

/// Columns of an expert that a block multiplies at a time.
inline constexpr unsigned expert_tile_columns = 64;

/// Whether matvec_together results of a column are computed at a time, if its operands allow accesses of 16 bytes.
template <class Count>
constexpr bool are_expert_rows_together(Count rows, Count columns, Count terms, unsigned element_bytes) {
  return rows % matvec_together == 0 && are_rows_together(rows * columns, Count{1}, terms, element_bytes);
}

}  // namespace kg
