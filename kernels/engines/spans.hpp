#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Calls f(first, count) for spans of up to `step` of the tasks 0 … n - 1, until the grid has processed all
/// of them. All threads of a block get the same spans. A CPU block gets adjacent spans, so that blocks write
/// to separate regions.
template <class F>
KG_DEVICE void for_each_span(u64 n, u64 step, F f) {
  if constexpr (is_gpu) {
    for (u64 at = block_index() * step;; at += grid_size() * step) {
      native::begin_iteration();
      if (at >= n) return;
      f(at, n - at < step ? n - at : step);
    }
  } else {
    const u64 runs = (n + step - 1) / step, blocks = grid_size(), block = block_index();
    const u64 first = runs / blocks * block + runs % blocks * block / blocks;
    const u64 last = runs / blocks * (block + 1) + runs % blocks * (block + 1) / blocks;
    for (u64 at = first * step; at < last * step && at < n; at += step) f(at, n - at < step ? n - at : step);
  }
}

}  // namespace kg
