#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// Prefix sums along dim 1 of a contiguous tensor [outer, n, inner], whose extents are not 0: of rows if `inner` is 1, else of
/// columns.
struct ScanProblem {
  std::int64_t outer, n, inner;
  unsigned element_bytes;

  bool are_rows() const { return inner == 1; }
};

/// The launch of the scan itself. Lists of n elements may be divided into parts over many blocks.
struct ScanPlan {
  std::int64_t part, parts;  ///< elements per part, and parts per list
  std::uint32_t group;       ///< threads per part of a row; 1 for columns
  LaunchShape shape;
};
ScanPlan plan_scan(const ScanProblem& problem, const DeviceTraits& device);

/// The launches before the scan of columns in several parts: one sums each part, another computes for each the sum of all before it.
struct ColumnPartialsPlan {
  std::uint32_t across;  ///< threads across columns
  LaunchShape shape;
  std::uint32_t prefix_group;  ///< threads per list
  LaunchShape prefix_shape;
};
ColumnPartialsPlan plan_column_partials(const ScanProblem& problem, const ScanPlan& scan,
                                        const DeviceTraits& device);

}  // namespace kernelgen
