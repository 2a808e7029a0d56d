#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Calls f(i) for this thread's part of 0 … n - 1, n up to 2^63: neighbouring threads of a GPU take
/// neighbouring indices and stride over the grid; a CPU's thread takes one run, in a loop that can vectorise.
template <class F>
KG_DEVICE void for_each_index(u64 n, F f) {
  if constexpr (is_gpu) {
    const u64 step = static_cast<u64>(grid_size()) * block_size();
    for (u64 i = static_cast<u64>(block_index()) * block_size() + thread_index(); i < n; i += step) f(i);
  } else {
    const u64 blocks = grid_size(), block = block_index();
    // n · block / blocks without the product's overflow.
    const u64 first = n / blocks * block + n % blocks * block / blocks;
    const u64 last = n / blocks * (block + 1) + n % blocks * (block + 1) / blocks;
    for (u64 i = first; i < last; ++i) f(i);
  }
}

}  // namespace kg
