// Functions that tests/forms/manifests/bodies.json launches.
#pragma once
#include "device/arithmetic.hpp"
#include "device/atomic.hpp"
#include "device/group.hpp"
#include "engines/grid_stride.hpp"

/// Least and greatest of `tile` elements of a row, by a block.
template <kg::i64 tile, class T>
KG_DEVICE void bounds_of_part(const T* x, kg::f32* partials, kg::i64 n, kg::i64 parts) {
  using namespace kg;
  const Group group(block_size());
  const i64 task = block_index(), first = task % parts * tile, last = first + tile < n ? first + tile : n;
  f32 low = widen(x[task / parts * n + first]), high = low;
  for (i64 i = first + thread_index(); i < last; i += block_size()) {
    const f32 value = widen(x[task / parts * n + i]);
    low = value < low ? value : low;
    high = value > high ? value : high;
  }
  low = group_reduce(group, low, [](f32 a, f32 b) KG_INLINE { return a < b ? a : b; });
  high = group_reduce(group, high, [](f32 a, f32 b) KG_INLINE { return a > b ? a : b; });
  if (thread_index() != 0) return;
  partials[2 * task] = low;
  partials[2 * task + 1] = high;
}

/// Those of a row, times `scale`, by a thread.
template <class T>
KG_DEVICE void bounds_of_row(const kg::f32* partials, T* low, T* high, kg::i64 rows, kg::i64 parts,
                             kg::f32 scale) {
  kg::for_each_index(static_cast<kg::u64>(rows), [&](kg::u64 row) KG_INLINE {
    const kg::f32* const mine = partials + row * static_cast<kg::u64>(2 * parts);
    kg::f32 least = mine[0], greatest = mine[1];
    for (kg::i64 p = 1; p < parts; ++p) {
      least = mine[2 * p] < least ? mine[2 * p] : least;
      greatest = mine[2 * p + 1] > greatest ? mine[2 * p + 1] : greatest;
    }
    low[row] = kg::convert<T>(least * scale);
    high[row] = kg::convert<T>(greatest * scale);
  });
}

/// y[i] = the number of blocks, by any grid.
template <class T>
KG_DEVICE void count_blocks(const T*, kg::u32* y, kg::i64 n) {
  kg::for_each_index(static_cast<kg::u64>(n), [&](kg::u64 i) KG_INLINE { y[i] = kg::grid_size(); });
}

/// counts[digit][value] += 1 for the byte of that number of each element.
template <class T>
KG_DEVICE void count_digit(const T* x, kg::u64* counts, kg::u32 n, kg::u32 digit) {
  kg::for_each_index(n, [&](kg::u64 i) KG_INLINE {
    const auto value = static_cast<kg::u64>(x[i]) >> (8 * digit) & 255;
    kg::atomic_add(reinterpret_cast<kg::u32*>(counts + digit * 256 + value), 1u);
  });
}

/// y[digit] = counts[digit].
KG_DEVICE void copy_counts(const kg::u64* counts, kg::u32* y, kg::i64 digit) {
  kg::for_each_index(256, [&](kg::u64 i) KG_INLINE {
    const kg::u64 at = static_cast<kg::u64>(digit) * 256 + i;
    y[at] = static_cast<kg::u32>(counts[at]);
  });
}
