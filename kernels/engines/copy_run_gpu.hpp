#pragma once
#include "device/group.hpp"
#include "device/pack.hpp"
#include "plan/run.hpp"

namespace kg {

struct RunStores {
  KG_DEVICE explicit RunStores(u64) {}
};

template <class T>
KG_DEVICE void store_run(const T* x, T* y, u64 n, const RunStores&) {
  for (u64 i = 0; i < n; ++i) y[i] = x[i];
}

/// Packs of 16 bytes where both sides are aligned, several of these or of single elements on their way.
template <class T>
KG_DEVICE void copy_run(const Group& group, const T* x, T* y, u64 n, const RunStores&) {
  constexpr int W = access_elements(sizeof(T));
  constexpr u32 in_flight = copies_in_flight;
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
  u64 i = packs * W + group.rank;
  for (; i + (in_flight - 1) * group.size < n; i += in_flight * group.size) {
    T element[in_flight];
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) element[k] = x[i + k * group.size];
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) y[i + k * group.size] = element[k];
  }
  for (; i < n; i += group.size) y[i] = x[i];
}

}  // namespace kg
