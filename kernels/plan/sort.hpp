#pragma once
/// What the kernels of sort_rows.hpp and radix.hpp share with their caller.
#include "plan/abi.hpp"

namespace kg {

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

}  // namespace kg
