#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Prefetches the cache lines of n elements on a CPU. A no-op on GPUs, which hide latency with other threads.
template <class T>
KG_DEVICE void prefetch(const T* x, u64 n) {
#if KG_GPU
  (void)x, (void)n;
#else
  constexpr u64 line = 64 / sizeof(T);
  for (u64 i = 0; i < n; i += line) __builtin_prefetch(x + i);
#endif
}

/// For sequentially read elements: prefetches `n` elements one page ahead, because the hardware prefetcher
/// stops at page boundaries.
template <class T>
KG_DEVICE void prefetch_next_page(const T* x, u64 n) {
  prefetch(x + 4096 / sizeof(T), n);
}

/// Prefetches a table whose elements are accessed by index, before `uses` accesses. Only if the table
/// fits L2 and is used enough.
template <class T>
KG_DEVICE void prefetch_table(const T* x, u64 n, u64 uses) {
  constexpr u64 most_bytes = u64(256) << 10;
  if (n * sizeof(T) <= most_bytes && uses >= n / 4) prefetch(x, n);
}

}  // namespace kg
