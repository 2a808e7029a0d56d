#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Calls f(i) for this thread's share of 0 … n - 1, n up to 2^63. On a GPU this is a grid-stride loop over
/// consecutive indices; a CPU thread takes one contiguous span, in a loop that can vectorize.
template <class F>
KG_DEVICE void for_each_index(u64 n, F f) {
  if constexpr (is_gpu) {
    const u64 step = grid_threads();
    for (u64 i = static_cast<u64>(block_index()) * block_size() + thread_index(); i < n; i += step) f(i);
  } else {
    const u64 blocks = grid_size(), block = block_index();
    // n * block / blocks without overflow of the product.
    const u64 first = n / blocks * block + n % blocks * block / blocks;
    const u64 last = n / blocks * (block + 1) + n % blocks * (block + 1) / blocks;
    for (u64 i = first; i < last; ++i) f(i);
  }
}

}  // namespace kg
