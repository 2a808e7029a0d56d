#pragma once
/// Division of prefix sums into work, shared by the kernels of scan.hpp and their callers.
#include "plan/abi.hpp"

namespace kg {

/// Bytes of the accumulator type for elements of `element_bytes`, floats or integers.
constexpr unsigned scan_bytes(unsigned element_bytes) { return element_bytes == 8 ? 8 : 4; }

/// Contiguous elements that a GPU thread processes at a time: one 16-byte access, but at most eight, so that
/// sums of few terms pass through few additions.
constexpr unsigned scan_neighbours(unsigned element_bytes) {
  return element_bytes < 2 ? 8 : 16 / element_bytes;
}

/// Adjacent columns that a GPU thread processes, if all lines are aligned for accesses of as many elements.
constexpr unsigned scan_columns(unsigned element_bytes) { return element_bytes > 4 ? 2 : 4; }

/// Adjacent columns that a CPU thread processes.
inline constexpr unsigned cpu_scan_columns = 256;

}  // namespace kg
