#pragma once
#include "device/group.hpp"
#if KG_GPU
#include "device/pack.hpp"
#else
#include "engines/stream_cpu.hpp"
#endif

namespace kg {

/// Storing runs of a result of that many bytes: past a CPU's caches where they could not keep it.
class RunStores {
 public:
#if KG_GPU
  KG_DEVICE explicit RunStores(u64) {}
  static constexpr bool streamed = false;
#else
  KG_DEVICE explicit RunStores(u64 bytes) : streamed(bytes >= detail::streaming_bytes) {}
  KG_DEVICE ~RunStores() { detail::end_stream(streamed); }
  const bool streamed;
#endif
};

/// n neighbouring elements, by one thread.
template <class T>
KG_DEVICE void store_run(const T* x, T* y, u64 n, const RunStores& stores) {
#if KG_GPU
  (void)stores;
  for (u64 i = 0; i < n; ++i) y[i] = x[i];
#else
  if (stores.streamed)
    detail::stream_run(x, y, n);
  else
    __builtin_memcpy(y, x, n * sizeof(T));
#endif
}

/// n neighbouring elements, by a group of threads: packs of 16 bytes, several on their way, where both sides are
/// aligned.
template <class T>
KG_DEVICE void copy_run(const Group& group, const T* x, T* y, u64 n, const RunStores& stores) {
#if KG_GPU
  (void)stores;
  constexpr int W = 16 / sizeof(T), in_flight = 4;
  const u64 packs = is_aligned<W>(x) && is_aligned<W>(y) ? n / W : 0;
  for (u64 base = group.rank; base < packs; base += in_flight * group.size) {
    Pack<T, W> pack[in_flight];
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
      const u64 at = base + k * group.size;
      if (at < packs) pack[k] = load_pack<W>(x + at * W);
    }
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
      const u64 at = base + k * group.size;
      if (at < packs) store_pack(y + at * W, pack[k]);
    }
  }
  for (u64 i = packs * W + group.rank; i < n; i += group.size) y[i] = x[i];
#else
  (void)group;
  store_run(x, y, n, stores);
#endif
}

}  // namespace kg
