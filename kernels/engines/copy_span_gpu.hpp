#pragma once
#include "device/group.hpp"
#include "device/pack.hpp"
#include "plan/span.hpp"

namespace kg {

struct SpanStores {
  KG_DEVICE explicit SpanStores(u64) {}
};

template <class T>
KG_DEVICE void store_span(const T* x, T* y, u64 n, const SpanStores&) {
  for (u64 i = 0; i < n; ++i) y[i] = x[i];
}

/// Copies 16-byte packs if both sides are aligned, otherwise single elements; several loads are in flight.
template <class T>
KG_DEVICE void copy_span(const Group& group, const T* x, T* y, u64 n, const SpanStores&) {
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
