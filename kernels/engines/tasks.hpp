#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Calls f(first, count) for runs of up to `step` of the tasks 0 … n - 1, until the grid's blocks have had
/// them all. All threads of a block get the same runs. A CPU's block gets neighbouring runs, so that what
/// blocks write lies apart.
template <class F>
KG_DEVICE void for_each_run(u64 n, u64 step, F f) {
  if constexpr (is_gpu) {
    for (u64 at = block_index() * step;; at += grid_size() * step) {
      native::begin_turn();
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
