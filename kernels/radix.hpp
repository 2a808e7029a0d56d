#pragma once
/// Stable sorting of rows that many blocks share: each pass orders the keys by one digit, from the least up.
/// A pass counts the digits of every tile, sums the counts, and moves each element to its new place. Cut up as
/// in Satish, Harris and Garland, "Designing efficient sorting algorithms for manycore GPUs", IPDPS 2009.
#include "device/each.hpp"
#include "device/prefix.hpp"
#include "device/tally.hpp"
#include "device/tasks.hpp"
#include "order.hpp"
#include "sort_plan.hpp"

namespace kg {
namespace detail {

/// Calls f(number of the row, first, count) for the tiles that rows of n elements are cut into.
template <class F>
KG_DEVICE void for_each_tile(u64 rows, u32 n, u32 tile, F f) {
  const u32 tiles = (n - 1) / tile + 1;
  for_each_run(rows * tiles, 1, [&](u64 task, u64) KG_INLINE {
    const u64 row = task / tiles;
    const u32 first = static_cast<u32>(task - row * tiles) * tile;
    f(row, first, n - first < tile ? n - first : tile);
  });
}

template <class K>
KG_DEVICE u32 digit_of(K key, u32 shift) {
  return static_cast<u32>(key >> shift) & (digits - 1);
}

/// Where the tile's first element with each digit goes.
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

/// A tile of a GPU's block, ordered in shared memory.
struct TileOrder {
  static constexpr u32 half_bits = digit_bits / 2, halves = 1u << half_bits;
  static constexpr u32 most_threads = 256, counters = halves * most_threads;
  static constexpr u32 words = radix_tile + radix_tile / 32;
  static constexpr u32 half_words = counters + counters / 32;

  /// Neighbouring threads walk runs of 2^k elements: a word left out after 32 keeps them on different banks.
  static KG_DEVICE u32 word(u32 i) { return i + i / 32; }
  static KG_DEVICE u32 half_word(u32 i) { return i + i / 64 * 2; }

  /// items[0, count) to ordered, by the bits at `shift`. Each thread counts, and later places, a run of its
  /// own, so that equal ones keep their order.
  static KG_DEVICE void by_half(const u32* items, u32* ordered, u16* counter, u32 count, u32 shift) {
    const Group group(most_threads);
    const u32 run = (count + group.size - 1) / group.size, begin = group.rank * run;
    const bool works = group.index == 0;
    const u32 end = !works ? begin : begin + run < count ? begin + run : count;
    const auto slot = [=](u32 item) KG_INLINE {
      return half_word((item >> shift & (halves - 1)) * group.size + group.rank);
    };
    for (u32 i = thread_index(); i < halves * group.size; i += block_size()) counter[half_word(i)] = 0;
    sync();
    for (u32 i = begin; i < end; ++i) ++counter[slot(items[word(i)])];
    sync();
    u32 sum = 0;
    if (works)
      for (u32 k = 0; k < halves; ++k) sum += counter[half_word(group.rank * halves + k)];
    u32 before = prefix_sum(group, sum).before;
    if (works)
      for (u32 k = 0; k < halves; ++k) {
        u16& each = counter[half_word(group.rank * halves + k)];
        const u32 own = each;
        each = static_cast<u16>(before);
        before += own;
      }
    sync();
    for (u32 i = begin; i < end; ++i) {
      const u32 item = items[word(i)];
      u16& next = counter[slot(item)];
      ordered[word(next)] = item;
      next = static_cast<u16>(next + 1);
    }
    sync();
  }
};

}  // namespace detail

/// Keys whose order as unsigned numbers is the wanted order of x.
template <class T>
KG_DEVICE void radix_keys(const T* x, T* keys, u64 n, u32 descending) {
  auto* const bits = reinterpret_cast<OrderBits<T>*>(keys);
  for_each_index(n, [=](u64 i) KG_INLINE { bits[i] = order_bits(x[i], descending); });
}

/// counts[row][digit][tile]: how many keys of the tile have the digit.
template <class K>
KG_DEVICE void radix_count(const K* keys, u32* counts, u64 rows, u32 n, u32 tile, u32 shift) {
  KG_SHARED u32 count[digits];
  const u32 tiles = (n - 1) / tile + 1;
  detail::for_each_tile(rows, n, tile, [&](u64 row, u32 first, u32 size) KG_INLINE {
    const K* const from = keys + row * n + first;
    for (u32 digit = thread_index(); digit < digits; digit += block_size()) count[digit] = 0;
    sync();
    for (u32 i = thread_index(); i < size; i += block_size()) tally(&count[detail::digit_of(from[i], shift)]);
    sync();
    for (u32 digit = thread_index(); digit < digits; digit += block_size())
      counts[(row * digits + digit) * tiles + first / tile] = count[digit];
    sync();
  });
}

/// Each count becomes the sum of those before it with its digit in its row, all of which go to
/// totals[row][digit]. `group_size` threads walk along the tiles.
KG_DEVICE void radix_sum(u32* counts, u32* totals, u64 rows, u32 tiles, u32 group_size) {
  const Group group(group_size);
  for_each_run(rows * digits, group.count, [&](u64 first, u64 lists) KG_INLINE {
    const bool works = group.index < lists;
    const u64 list = first + group.index;
    u32 before = 0;
    for (u32 begin = 0; begin < tiles; begin += group.size) {
      const u32 tile = begin + group.rank;
      const bool counts_here = works && tile < tiles;
      u32* const count = counts + list * tiles + tile;
      const Prefix prefix = prefix_sum(group, counts_here ? *count : 0);
      if (counts_here) *count = before + prefix.before;
      before += prefix.total;
    }
    if (works && group.rank == 0) totals[list] = before;
  });
}

/// Moves keys, and the places they came from, to the order of the digit at `shift`. `places` is null in the
/// first pass, `next_keys` in the last. A GPU's tile has no more than radix_tile elements.
template <class K>
KG_DEVICE void radix_move(const K* keys, const u32* places, K* next_keys, u32* next_places, const u32* counts,
                          const u32* totals, u64 rows, u32 n, u32 tile, u32 shift) {
  KG_SHARED u32 start[digits];
  const u32 tiles = (n - 1) / tile + 1;
  detail::for_each_tile(rows, n, tile, [&](u64 row, u32 first, u32 size) KG_INLINE {
    const u64 base = row * n;
    const K* const from = keys + base + first;
    const auto move = [&](u32 i, u32 to) KG_INLINE {
      next_places[base + to] = places ? places[base + first + i] : first + i;
      if (next_keys) next_keys[base + to] = from[i];
    };
    detail::digit_starts(start, counts, totals, row, tiles, first / tile);
    if constexpr (is_gpu) {
      using detail::TileOrder;
      // A digit and where in the tile it stands.
      KG_SHARED u32 items[TileOrder::words], ordered[TileOrder::words];
      KG_SHARED u16 counter[TileOrder::half_words];
      for (u32 i = thread_index(); i < size; i += block_size())
        items[TileOrder::word(i)] = detail::digit_of(from[i], shift) << 16 | i;
      TileOrder::by_half(items, ordered, counter, size, 16);
      TileOrder::by_half(ordered, items, counter, size, 16 + TileOrder::half_bits);
      for (u32 i = thread_index(); i < size; i += block_size()) {
        const u32 digit = items[TileOrder::word(i)] >> 16;
        if (i == 0 || digit != items[TileOrder::word(i - 1)] >> 16) start[digit] -= i;
      }
      sync();
      for (u32 i = thread_index(); i < size; i += block_size()) {
        const u32 item = items[TileOrder::word(i)];
        move(item & 0xffff, start[item >> 16] + i);
      }
      sync();
    } else {
      for (u32 i = 0; i < size; ++i) move(i, start[detail::digit_of(from[i], shift)]++);
    }
  });
}

/// y[i] = x[places[i]], within each row.
template <class T>
KG_DEVICE void take_places(const T* x, const u32* places, T* y, u64 rows, u32 n, u32 tile) {
  detail::for_each_tile(rows, n, tile, [&](u64 row, u32 first, u32 size) KG_INLINE {
    const u64 base = row * n;
    for (u32 i = first + thread_index(); i - first < size; i += block_size())
      y[base + i] = x[base + places[base + i]];
  });
}

}  // namespace kg
