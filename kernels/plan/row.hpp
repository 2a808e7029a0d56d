#pragma once
/// What the kernels that work on whole rows (engines/row.hpp) share with their caller.
#include "plan/abi.hpp"

namespace kg {

/// Most threads that share a row.
inline constexpr unsigned row_threads = 512;

/// Bytes that the State of a part of a row takes (row_reduction.hpp).
inline constexpr unsigned row_state_bytes = 24;

/// Elements of a row that a GPU's thread holds in registers: 128 bytes, widened, or half of that where code is kept small.
constexpr unsigned held_elements(unsigned widened_bytes, bool is_kept_small) {
  return (is_kept_small ? 64 : 128) / widened_bytes;
}

/// The same of a row that accesses of 16 bytes do not fit, and of a short one.
inline constexpr unsigned single_elements = 12, few_singles = 4;

/// Elements of such a row that a thread holds at most: fewer where code is kept small.
constexpr unsigned most_singles(bool is_kept_small) { return is_kept_small ? few_singles : single_elements; }

/// Bytes of shared memory through which a GPU's block takes rows of a few elements, where there are many; elements that it
/// holds, wherever in an access the first lies; and those of the longest such row.
inline constexpr unsigned row_tile_bytes = 16384;
constexpr unsigned row_tile_elements(unsigned element_bytes) { return (row_tile_bytes - 16) / element_bytes; }
inline constexpr unsigned row_tile_longest = few_singles * 4;

/// Threads that share such a row.
constexpr unsigned row_tile_group(unsigned n) { return n <= few_singles ? 1 : n <= few_singles * 2 ? 2 : 4; }

/// Whether long rows of elements of so many bytes are taken in accesses of 16 bytes nevertheless, but for what is left at both
/// ends; and the least elements of those.
constexpr bool row_may_have_edges(unsigned element_bytes) { return element_bytes == 2; }
inline constexpr unsigned edged_row_elements = 512;

}  // namespace kg
