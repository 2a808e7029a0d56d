#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// Prefix sums of `outer` lists of n elements, each `inner` apart; none is 0.
struct ScanProblem {
  std::int64_t outer, n, inner;
  unsigned element_bytes;

  bool are_rows() const { return inner == 1; }
};

struct ScanPlan {
  std::int64_t part, parts;  ///< elements per part, and parts per list
  std::uint32_t group;       ///< threads per part of a row
  LaunchShape shape;
};
ScanPlan plan_scan(const ScanProblem& problem, const DeviceTraits& device);

/// The launches that sum the parts before the scan, if lists have several. For columns, a third one adds up
/// the sums of earlier parts.
struct ScanPartialsPlan {
  std::uint32_t group;  ///< threads per part of a row, or across columns
  LaunchShape shape;
  std::uint32_t prefix_group;  ///< threads per list
  LaunchShape prefix_shape;
};
ScanPartialsPlan plan_scan_partials(const ScanProblem& problem, const ScanPlan& scan,
                                    const DeviceTraits& device);

}  // namespace kernelgen
