#pragma once
#include "engines/copy_span.hpp"
#include "engines/map_cpu.hpp"

namespace kg::detail {

/// y[i] = of(i), with non-temporal stores if `stores` requests them.
template <class T, class Of>
KG_DEVICE void store_row(T* y, u64 n, const SpanStores& stores, Of of) {
  constexpr int lanes = vector_lanes<T>();
  constexpr u32 chunk = 1024;
  // The ends of a short row share cache lines with its neighbors, which makes non-temporal stores
  // inefficient.
  if (!stores.streamed || (n < chunk && n * sizeof(T) % 64 != 0)) {
    for_each_lane<lanes>(0, n, [&](u64 i) KG_INLINE { y[i] = of(i); });
    return;
  }
  alignas(64) T buffer[chunk];
  for (u64 first = 0; first < n; first += chunk) {
    const u64 count = n - first < chunk ? n - first : chunk;
    for_each_lane<lanes>(0, count, [&](u64 i) KG_INLINE { buffer[i] = of(first + i); });
    stream_span(buffer, y + first, count);
  }
}

}  // namespace kg::detail
