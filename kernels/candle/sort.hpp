#pragma once
/// candle's argsort: one block per row, sorting the indices in position.
#include "device/group.hpp"
#include "device/order.hpp"

namespace kg::candle {

/// Whether element `a` of a row precedes element `b`: by value, NaN last, then by index.
template <int Sign, class T>
KG_DEVICE bool comes_first(const T* row, u32 a, u32 b) {
  const auto left = order_bits<Sign>(widen(row[a])), right = order_bits<Sign>(widen(row[b]));
  return left < right || (left == right && a < b);
}

/// Sign 1 is ascending. Batcher's bitonic merges with a mirrored first step, so that every exchange moves the
/// greater element to the higher index. Positions past the row would hold the greatest elements and are
/// skipped.
template <int Sign, class T>
KG_DEVICE void arg_sort(const T* x, u32* y, u32 n) {
  const u32 threads = block_size() * block_size_y(),
            thread = thread_index() + thread_index_y() * block_size();
  const T* row = x + static_cast<u64>(block_index()) * n;
  u32* index = y + static_cast<u64>(block_index()) * n;
  for (u32 i = thread; i < n; i += threads) index[i] = i;
  sync();
  u32 padded = 1;
  while (padded < n) padded *= 2;
  const auto exchange = [&](u32 low, u32 high) KG_INLINE {
    if (high >= n) return;
    const u32 a = index[low], b = index[high];
    if (comes_first<Sign>(row, b, a)) {
      index[low] = b;
      index[high] = a;
    }
  };
  for (u32 run = 2; run <= padded; run *= 2) {
    for (u32 i = thread; i < padded / 2; i += threads) {
      const u32 start = i / (run / 2) * run, position = i % (run / 2);
      exchange(start + position, start + run - 1 - position);
    }
    sync();
    for (u32 apart = run / 4; apart > 0; apart /= 2) {
      for (u32 i = thread; i < padded / 2; i += threads) {
        const u32 low = i / apart * apart * 2 + i % apart;
        exchange(low, low + apart);
      }
      sync();
    }
  }
}

}  // namespace kg::candle
