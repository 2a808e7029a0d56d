#pragma once
/// What the kernels of sort_rows.hpp, radix.hpp and select.hpp share with their caller.
#include "plan/abi.hpp"

namespace kg {

/// How rows are ordered. Both zeros are one; NaN comes last, but first where the greatest do.
enum class Order : unsigned { ascending, descending, greatest_first };

/// Rows of up to so many elements are sorted in a block's shared memory: 16 KiB of keys with their places.
constexpr unsigned block_row_limit(unsigned element_bytes) {
  return 8192 / (element_bytes < 2 ? 2 : element_bytes);
}

/// Rows of up to so many elements are sorted by comparing all pairs on a CPU.
constexpr unsigned ranked_row_limit(unsigned element_bytes) {
  return 32 * (element_bytes < 3 ? element_bytes : 3);
}

/// Bytes of a key with its place that a CPU's thread sorts.
constexpr unsigned entry_bytes(unsigned element_bytes) { return element_bytes > 4 ? 16 : 8; }

/// Keys are ordered by one digit a pass.
inline constexpr unsigned digit_bits = 8, digits = 1u << digit_bits;

/// Elements of a long row that each thread of a GPU's block moves at once, and those of a tile, which are all.
constexpr unsigned radix_each(unsigned element_bytes) { return element_bytes > 4 ? 4 : 8; }
constexpr unsigned radix_tile(unsigned element_bytes) { return block_threads * radix_each(element_bytes); }

/// Entries that a CPU's thread has room for, twice, as it sorts a row of which `kept` are wanted: those, and as many or
/// more that may take their place.
constexpr unsigned long long entry_room(unsigned n, unsigned kept) {
  const unsigned long long room = kept + (kept < 1024 ? 1024ull : kept);
  return room < n ? room : n;
}

/// A row's k-th key in order is found by digits of so many bits, from the most significant down.
inline constexpr unsigned select_bits = 11, select_digits = 1u << select_bits;
constexpr unsigned select_passes(unsigned element_bytes) {
  return (8 * element_bytes + select_bits - 1) / select_bits;
}
/// Words of 64 bits that a row's search is kept in between two passes.
inline constexpr unsigned select_state_words = 2;

}  // namespace kg
