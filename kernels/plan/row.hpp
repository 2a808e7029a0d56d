#pragma once
/// Constants of kernels on whole rows (row/row.hpp), shared with their callers.
#include "plan/abi.hpp"

namespace kg {

/// Maximum threads per row.
inline constexpr unsigned row_threads = 512;

/// Bytes of the State of part of a row (row_reduction.hpp).
inline constexpr unsigned row_state_bytes = 24;

/// Elements of a row that a GPU thread keeps in registers: 128 bytes, widened; half of that for compact code.
constexpr unsigned held_elements(unsigned widened_bytes, bool is_compact) {
  return (is_compact ? 64 : 128) / widened_bytes;
}

/// The same for rows that are read by single elements (not aligned for 16-byte accesses), and for short rows of those.
inline constexpr unsigned unaligned_row_elements = 12, unaligned_row_few_elements = 4;

/// Maximum elements per thread of a row that is read by single elements; fewer for compact code.
constexpr unsigned max_unaligned_elements(bool is_compact) {
  return is_compact ? unaligned_row_few_elements : unaligned_row_elements;
}

/// Staging of many short rows through a GPU block's shared memory: its bytes, the elements it holds at any
/// alignment, and the elements of the longest such row.
inline constexpr unsigned row_tile_bytes = 16384;
constexpr unsigned row_tile_elements(unsigned element_bytes) { return (row_tile_bytes - 16) / element_bytes; }
inline constexpr unsigned row_tile_longest = unaligned_row_few_elements * 4;

/// Threads per staged row.
constexpr unsigned row_tile_group(unsigned n) {
  return n <= unaligned_row_few_elements ? 1 : n <= unaligned_row_few_elements * 2 ? 2 : 4;
}

/// Whether rows that are no multiple of 16 bytes, or begin between multiples, are read in 16-byte accesses except for both ends.
/// Then the minimum elements of such a row: shorter ones take less time by single elements. Then its minimum threads, two for
/// each element of an access: each end may have almost a whole access of elements, one per thread.
constexpr bool row_may_have_edges(unsigned element_bytes) { return element_bytes == 2 || element_bytes == 4; }
constexpr unsigned edged_row_elements(unsigned element_bytes) { return element_bytes == 2 ? 96 : 64; }
constexpr unsigned edged_row_threads(unsigned element_bytes) { return 32 / element_bytes; }

}  // namespace kg
