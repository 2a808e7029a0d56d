#pragma once
#include "device/group.hpp"
#include "engines/streaming_store_cpu.hpp"

namespace kg {

/// Uses non-temporal stores if the result is too large for the caches.
struct SpanStores {
  KG_DEVICE explicit SpanStores(u64 bytes) : streamed(bytes >= detail::streaming_bytes) {}
  KG_DEVICE ~SpanStores() { detail::end_stream(streamed); }
  const bool streamed;
};

template <class T>
KG_DEVICE void store_span(const T* x, T* y, u64 n, const SpanStores& stores) {
  if (stores.streamed)
    detail::stream_span(x, y, n);
  else
    __builtin_memcpy(y, x, n * sizeof(T));
}

template <class T>
KG_DEVICE void copy_span(const Group&, const T* x, T* y, u64 n, const SpanStores& stores) {
  store_span(x, y, n, stores);
}

}  // namespace kg
