#pragma once
#include "device/group.hpp"
#include "engines/stream_cpu.hpp"

namespace kg {

/// Past the caches where they could not keep the result.
struct RunStores {
  KG_DEVICE explicit RunStores(u64 bytes) : streamed(bytes >= detail::streaming_bytes) {}
  KG_DEVICE ~RunStores() { detail::end_stream(streamed); }
  const bool streamed;
};

template <class T>
KG_DEVICE void store_run(const T* x, T* y, u64 n, const RunStores& stores) {
  if (stores.streamed)
    detail::stream_run(x, y, n);
  else
    __builtin_memcpy(y, x, n * sizeof(T));
}

template <class T>
KG_DEVICE void copy_run(const Group&, const T* x, T* y, u64 n, const RunStores& stores) {
  store_run(x, y, n, stores);
}

}  // namespace kg
