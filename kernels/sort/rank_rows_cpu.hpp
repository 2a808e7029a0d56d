#pragma once
#include "device/order.hpp"

namespace kg::detail {

/// Rows that are ranked at once, one in each lane of a vector.
template <class T>
inline constexpr u32 rows_together = 32 / sizeof(OrderBits<T>);

/// Their length at most: the comparisons of a row grow with its square.
template <class T>
inline constexpr u32 ranked_together_limit = rows_together<T> < 8 ? 2 * rows_together<T> : 16;

/// Calls put(row, index in the row, rank) for each element of `count` ≤ rows_together rows. Equal keys keep their
/// order.
template <class T, class Put>
KG_DEVICE void rank_rows(const T* x, u32 count, u32 n, u32 order, Put put) {
  using K = OrderBits<T>;
  constexpr u32 lanes = rows_together<T>;
  K key[ranked_together_limit<T>][lanes], rank[ranked_together_limit<T>][lanes];
  for (u32 i = 0; i < n; ++i)
    for (u32 row = 0; row < lanes; ++row) {
      key[i][row] = order_bits(x[(row < count ? row : 0) * n + i], order);
      rank[i][row] = 0;
    }
  for (u32 i = 1; i < n; ++i)
    for (u32 k = 0; k < i; ++k)
      for (u32 row = 0; row < lanes; ++row) {
        const bool is_after = key[k][row] <= key[i][row];
        rank[i][row] = static_cast<K>(rank[i][row] + is_after);
        rank[k][row] = static_cast<K>(rank[k][row] + !is_after);
      }
  for (u32 row = 0; row < count; ++row)
    for (u32 i = 0; i < n; ++i) put(row, i, static_cast<u32>(rank[i][row]));
}

}  // namespace kg::detail
