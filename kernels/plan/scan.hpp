#pragma once
/// How prefix sums are cut into work: what the kernels of scan.hpp share with their caller.
#include "plan/abi.hpp"

namespace kg {

/// Bytes that elements of that many bytes, floats or integers, are summed in.
constexpr unsigned scan_bytes(unsigned element_bytes) { return element_bytes == 8 ? 8 : 4; }

/// Neighbours of a row that a GPU's thread takes at once: an access of 16 bytes, or of eight elements, so that sums of
/// few terms go through few additions.
constexpr unsigned scan_neighbours(unsigned element_bytes) {
  return element_bytes < 2 ? 8 : 16 / element_bytes;
}

/// Neighbouring columns that a GPU's thread takes at once.
constexpr unsigned scan_columns(unsigned element_bytes) { return element_bytes > 4 ? 2 : 4; }

/// Neighbouring columns that a CPU's thread walks at once.
inline constexpr unsigned cpu_scan_columns = 256;

}  // namespace kg
