#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// Whether spans of `length` contiguous elements that share an index are copied as units.
bool are_spans_worth_copying(std::int64_t length, unsigned element_bytes, const DeviceTraits& device);

/// Spans cut into parts, each copied by a group of threads.
struct GatherSpansPlan {
  std::int64_t part;      ///< elements
  std::uint32_t threads;  ///< per part

  /// The launch of `spans` spans of `length` elements.
  LaunchShape shape(std::int64_t spans, std::int64_t length, const DeviceTraits& device) const;
};
/// `elements`: of all spans, of `length` elements each.
GatherSpansPlan plan_gather_spans(std::int64_t elements, std::int64_t length, unsigned element_bytes,
                                  const DeviceTraits& device);

/// Whether a thread takes a column of `rows` rows that share their indices, and reads each index once.
bool are_indices_worth_sharing(std::int64_t rows, std::int64_t columns, const DeviceTraits& device);

/// Single elements: each block takes a tile of a few rows, all of which share their indices, and of adjacent
/// columns; a thread has one column of them. Without such rows a block of more columns than threads loops.
struct GatherElementsPlan {
  std::uint32_t columns, rows;  ///< per block
  LaunchShape shape;
};
/// `rows` is 1 if rows do not share their indices.
GatherElementsPlan plan_gather_elements(std::int64_t columns, std::int64_t rows, const DeviceTraits& device);

}  // namespace kernelgen
