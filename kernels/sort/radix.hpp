#pragma once
/// Stable radix sort of rows that many blocks share: each pass orders the keys by one digit, least
/// significant first. A pass counts the digits of every tile, sums the counts, and moves each element to its
/// new position. The division into tiles follows Satish, Harris and Garland, "Designing efficient sorting
/// algorithms for manycore GPUs", IPDPS 2009.
#include "device/order.hpp"
#include "engines/grid_stride.hpp"
#include "engines/spans.hpp"
#include "sort/radix_block.hpp"

namespace kg {
namespace detail {

/// A tile of contiguous elements of one row.
struct RowTile {
  u64 row;
  u32 number, first, size;
};

/// Calls f(tile) for the tiles of rows of n elements. There must be fewer than 2^32 tiles.
template <class F>
KG_DEVICE void for_each_tile(u64 rows, u32 n, u32 tile, F f) {
  const u32 tiles = (n - 1) / tile + 1;
  for_each_span(rows * tiles, 1, [&](u64 task, u64) KG_INLINE {
    const u32 row = static_cast<u32>(task) / tiles, number = static_cast<u32>(task) - row * tiles;
    const u32 first = number * tile;
    f(RowTile{row, number, first, n - first < tile ? n - first : tile});
  });
}

/// Computes the destination of the tile's first element with each digit.
KG_DEVICE void digit_starts(u32* start, const u32* counts, const u32* totals, u64 row, u32 tiles, u32 tile) {
  const Group group(digits);
  const u32 each = digits / group.size, first = group.rank * each;
  const bool works = group.index == 0;
  const u32* const total = totals + row * digits;
  u32 sum = 0;
  if (works)
    for (u32 digit = first; digit < first + each; ++digit) sum += total[digit];
  u32 before = prefix_sum(group, sum).before;
  if (!works) return;
  for (u32 digit = first; digit < first + each; ++digit) {
    start[digit] = before + counts[(row * digits + digit) * tiles + tile];
    before += total[digit];
  }
}

}  // namespace detail

/// Converts x to unsigned keys in the requested order.
template <class T>
KG_DEVICE void radix_keys(const T* x, T* keys, u64 n, u32 order) {
  auto* const bits = reinterpret_cast<OrderBits<T>*>(keys);
  for_each_index(n, [=](u64 i) KG_INLINE { bits[i] = order_bits(x[i], order); });
}

/// counts[row][digit][tile]: number of keys of the tile with that digit.
template <class K>
KG_DEVICE void radix_count(const K* keys, u32* counts, u64 rows, u32 n, u32 tile, u32 shift) {
  KG_SHARED u32 count[digits];
  const u32 tiles = (n - 1) / tile + 1;
  detail::for_each_tile(rows, n, tile, [&](const detail::RowTile& part) KG_INLINE {
    const K* const from = keys + part.row * n + part.first;
    for (u32 digit = thread_index(); digit < digits; digit += block_size()) count[digit] = 0;
    sync();
    constexpr u32 each = is_gpu ? radix_each(sizeof(K)) : 1;
    for (u32 begin = 0; begin < part.size; begin += each * block_size()) {
      K key[each];
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        const u32 i = begin + e * block_size() + thread_index();
        if (i < part.size) key[e] = from[i];
      }
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        const u32 i = begin + e * block_size() + thread_index();
        if (i < part.size) histogram_add(&count[detail::digit_of(key[e], shift)]);
      }
    }
    sync();
    for (u32 digit = thread_index(); digit < digits; digit += block_size())
      counts[(part.row * digits + digit) * tiles + part.number] = count[digit];
    sync();
  });
}

/// Replaces each count by the sum of the counts before it with the same digit and row; the sums over all
/// tiles go to totals[row][digit]. `group_size` threads process one list of tiles.
KG_DEVICE void radix_sum(u32* counts, u32* totals, u64 rows, u32 tiles, u32 group_size) {
  const Group group(group_size);
  for_each_span(rows * digits, group.count, [&](u64 first, u64 lists) KG_INLINE {
    const bool works = group.index < lists;
    const u64 list = first + group.index;
    u32 before = 0;
    for (u32 begin = 0; begin < tiles; begin += group.size) {
      const u32 tile = begin + group.rank;
      const bool counts_here = works && tile < tiles;
      u32* const count = counts + list * tiles + tile;
      const Prefix<u32> prefix = prefix_sum(group, counts_here ? *count : 0);
      if (counts_here) *count = before + prefix.before;
      before += prefix.total;
    }
    if (works && group.rank == 0) totals[list] = before;
  });
}

/// Moves keys and their source indices to the order of the digit at `shift`. `indices` is null in the first
/// pass, where the source index is the position; `next_keys` is null in the last pass.
template <class K>
KG_DEVICE void radix_move(const K* keys, const u32* indices, K* next_keys, u32* next_indices,
                          const u32* counts, const u32* totals, u64 rows, u32 n, u32 tile, u32 shift) {
  KG_SHARED u32 start[digits];
  const u32 tiles = (n - 1) / tile + 1;
  detail::for_each_tile(rows, n, tile, [&](const detail::RowTile& whole) KG_INLINE {
    const u64 base = whole.row * n;
    const K* const from = keys + base + whole.first;
    const u32* const from_indices = indices ? indices + base + whole.first : nullptr;
    K* const to_keys = next_keys ? next_keys + base : nullptr;
    detail::digit_starts(start, counts, totals, whole.row, tiles, whole.number);
    if constexpr (is_gpu) {
      using Block = detail::RadixBlock<K>;
      constexpr u32 each = radix_each(sizeof(K));
      KG_SHARED u32 shifts[digits], counter[Block::most_waves * digits];
      KG_SHARED typename Block::Word ordered[each * block_threads];
      const Block block(start, shifts, counter, ordered);
      const detail::RadixMove<K> move{from, from_indices, to_keys, next_indices + base, whole.first, shift};
      const u32 threads = block.threads();
      u32 begin = 0;
      for (; whole.size - begin >= each * threads; begin += each * threads)
        block.template run<each>(move, begin, each * threads);
      for (; begin < whole.size; begin += threads) block.template run<1>(move, begin, whole.size - begin);
    } else {
      for (u32 i = 0; i < whole.size; ++i) {
        const u32 to = start[detail::digit_of(from[i], shift)]++;
        next_indices[base + to] = from_indices ? from_indices[i] : whole.first + i;
        if (to_keys) to_keys[to] = from[i];
      }
    }
  });
}

/// y[i] = x[indices[i]] within each row; x has `length` elements per row, y and indices have n.
template <class T>
KG_DEVICE void take_indices(const T* x, const u32* indices, T* y, u64 rows, u64 length, u32 n, u32 tile) {
  detail::for_each_tile(rows, n, tile, [&](const detail::RowTile& part) KG_INLINE {
    const u64 base = part.row * n + part.first;
    for (u32 i = thread_index(); i < part.size; i += block_size())
      y[base + i] = x[part.row * length + indices[base + i]];
  });
}

}  // namespace kg
