#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Has the lines of n elements on their way to a CPU's caches; a GPU has other threads to run meanwhile.
template <class T>
KG_DEVICE void prefetch(const T* x, u64 n) {
#if KG_GPU
  (void)x, (void)n;
#else
  constexpr u64 line = 64 / sizeof(T);
  for (u64 i = 0; i < n; i += line) __builtin_prefetch(x + i);
#endif
}

/// Of elements that are read in order: `n` of those a page ahead, as the processor's own prefetching ends with
/// the page.
template <class T>
KG_DEVICE void prefetch_next_page(const T* x, u64 n) {
  prefetch(x + 4096 / sizeof(T), n);
}

/// Elements whose order indices decide, before `uses` of them are read or written: all, where they are not many
/// and fit the second cache.
template <class T>
KG_DEVICE void prefetch_table(const T* x, u64 n, u64 uses) {
  constexpr u64 most_bytes = u64(256) << 10;
  if (n * sizeof(T) <= most_bytes && uses >= n / 4) prefetch(x, n);
}

}  // namespace kg
