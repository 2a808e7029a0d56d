#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// Sorting `count` rows of n elements each, at least one.
struct SortProblem {
  std::int64_t n, count;
  unsigned element_bytes;
};

/// A launch of `blocks` blocks, which loop over the work.
LaunchShape sort_grid(std::int64_t blocks, const DeviceTraits& device);

/// Whether one GPU block or one CPU thread sorts a row.
bool is_sorted_alone(const SortProblem& problem, const DeviceTraits& device);

/// Such rows, each in one block.
struct RowSortPlan {
  std::uint32_t rows_each;  ///< rows per block
  LaunchShape shape;
  std::int64_t workspace;  ///< bytes
};
/// `kept`: the elements wanted of each row.
RowSortPlan plan_row_sort(const SortProblem& problem, std::int64_t kept, const DeviceTraits& device);

/// Rows that many blocks share, sorted by digits.
struct RadixPlan {
  std::int64_t batch;          ///< rows sorted at a time, which bounds the workspace
  std::uint32_t tile;          ///< elements per block
  std::int64_t tiles;          ///< per row
  std::uint32_t counted_tile;  ///< elements per block of the launch that counts digits
};
RadixPlan plan_radix_sort(const SortProblem& problem, const DeviceTraits& device);

/// Whether the first k of sorted rows are found by sorting each row in one block, rather than by selecting k elements first.
bool are_rows_sorted_for_top_k(const SortProblem& problem, std::int64_t k, const DeviceTraits& device);

}  // namespace kernelgen
