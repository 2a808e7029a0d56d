#pragma once
/// Division of prefix sums into work, shared by the kernels of scan.hpp and their callers.
#include "plan/abi.hpp"

namespace kg {

/// Bytes of the accumulator type for elements of `element_bytes`, floats or integers.
constexpr unsigned scan_bytes(unsigned element_bytes) { return element_bytes == 8 ? 8 : 4; }

/// Parts of a row whose sums a block adds. Each such run ends with the sum of all parts up to there.
inline constexpr unsigned scan_run = 256;
/// Words of 64 bits for the sums of a row's parts, in an accumulator of `bytes`.
constexpr unsigned long long scan_words(unsigned parts, unsigned bytes) {
  return (parts + (parts + scan_run - 1) / scan_run) * (bytes == 8 ? 2ull : 1ull);
}

/// Contiguous elements that a GPU thread processes at a time: one 16-byte access, but at most eight, so that
/// sums of few terms pass through few additions.
constexpr unsigned scan_neighbours(unsigned element_bytes) {
  return element_bytes < 2 ? 8 : 16 / element_bytes;
}

/// Such accesses of a row's part that a GPU thread holds in registers.
constexpr unsigned scan_held(unsigned element_bytes) { return element_bytes > 2 ? 8 : 4; }
/// Maximum elements of a part that a GPU block holds. Whole accesses; alignment may take one.
constexpr unsigned scan_part(unsigned element_bytes) {
  return block_threads * scan_held(element_bytes) * scan_neighbours(element_bytes) - 64;
}

/// Adjacent columns that a GPU thread processes, if all lines are aligned for accesses of as many elements.
constexpr unsigned scan_columns(unsigned element_bytes) { return element_bytes > 4 ? 2 : 4; }

/// Adjacent columns that a CPU thread processes.
inline constexpr unsigned cpu_scan_columns = 256;

}  // namespace kg
