#pragma once
/// Constants of sort_rows.hpp, radix.hpp and select.hpp, shared with their callers.
#include "plan/abi.hpp"

namespace kg {

/// The order of a row. Both zeros are equal. NaN comes last, or first with greatest_first.
enum class Order : unsigned { ascending, descending, greatest_first };

/// Maximum row length sorted in a block's shared memory: 16 KiB of keys with their indices.
constexpr unsigned block_row_limit(unsigned element_bytes) {
  return 8192 / (element_bytes < 2 ? 2 : element_bytes);
}

/// Maximum row length sorted on a CPU by comparing all pairs.
constexpr unsigned ranked_row_limit(unsigned element_bytes) {
  return 32 * (element_bytes < 3 ? element_bytes : 3);
}

/// Bytes of a key with its index, as sorted by a CPU thread.
constexpr unsigned entry_bytes(unsigned element_bytes) { return element_bytes > 4 ? 16 : 8; }

/// Radix sort uses one digit per pass.
inline constexpr unsigned digit_bits = 8, digits = 1u << digit_bits;

/// Elements of a long row per thread of a GPU block, and per tile of the block.
constexpr unsigned radix_each(unsigned element_bytes) { return element_bytes > 4 ? 4 : 8; }
constexpr unsigned radix_tile(unsigned element_bytes) { return block_threads * radix_each(element_bytes); }
/// Maximum elements per tile, and of a row: one word tells a tile's count and a position in the row apart.
inline constexpr unsigned radix_most_tile = 1u << 20, radix_most_row = 0xffffffff - radix_most_tile - 2;

/// Entries of each of a CPU thread's two buffers for a row of which `kept` elements are wanted: those, and at
/// least as many candidates.
constexpr unsigned long long entry_room(unsigned n, unsigned kept) {
  const unsigned long long room = kept + (kept < 1024 ? 1024ull : kept);
  return room < n ? room : n;
}

/// A row's k-th key is found by digits of this many bits, most significant first.
inline constexpr unsigned select_bits = 11, select_digits = 1u << select_bits;
constexpr unsigned select_passes(unsigned element_bytes) {
  return (8 * element_bytes + select_bits - 1) / select_bits;
}
/// 64-bit words of a row's search state between passes.
inline constexpr unsigned select_state_words = 2;

}  // namespace kg
