#pragma once
/// Constants of kernels on rows (row/row.hpp), shared with their callers.
#include "plan/abi.hpp"

namespace kg {

/// Maximum threads per row.
inline constexpr unsigned row_threads = 512;

/// Maximum bytes of a part's State (row_reduction.hpp): three f64 of Moments.
inline constexpr unsigned row_state_bytes = 24;

/// Elements of a row that a GPU thread keeps in registers: 128 bytes, widened; half of that for compact code.
constexpr unsigned held_elements(unsigned widened_bytes, bool is_compact) {
  return (is_compact ? 64 : 128) / widened_bytes;
}

/// The same for rows that are read by single elements because they are not aligned for 16-byte accesses, and for short ones.
inline constexpr unsigned unaligned_row_elements = 12, unaligned_row_few_elements = 4;

/// Maximum elements per thread of a row that is read by single elements; fewer for compact code.
constexpr unsigned max_unaligned_elements(bool is_compact) {
  return is_compact ? unaligned_row_few_elements : unaligned_row_elements;
}

/// Bytes of shared memory in which a GPU block stages many short rows.
inline constexpr unsigned row_tile_bytes = 16384;
/// Elements that fit there, whatever their alignment.
constexpr unsigned row_tile_elements(unsigned element_bytes) { return (row_tile_bytes - 16) / element_bytes; }
/// Elements of the longest such row.
inline constexpr unsigned row_tile_longest = unaligned_row_few_elements * 4;

/// Threads per staged row of n elements.
constexpr unsigned row_tile_group(unsigned n) {
  return n <= unaligned_row_few_elements ? 1 : n <= unaligned_row_few_elements * 2 ? 2 : 4;
}

/// Whether rows that are no multiple of 16 bytes, or begin between multiples, are read in 16-byte accesses except for both ends.
constexpr bool row_may_have_edges(unsigned element_bytes) { return element_bytes == 2 || element_bytes == 4; }
/// Minimum elements of such a row: shorter ones take less time by single elements.
constexpr unsigned edged_row_elements(unsigned element_bytes) { return element_bytes == 2 ? 96 : 64; }
/// Minimum threads of such a row, two for each element of an access: either end may have almost a whole access of elements, each
/// of which has its own thread.
constexpr unsigned edged_row_threads(unsigned element_bytes) { return 32 / element_bytes; }

}  // namespace kg
