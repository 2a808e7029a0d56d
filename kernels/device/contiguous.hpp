#pragma once
#include "device/dialect.hpp"

#if KG_GPU
#include "device/pack.hpp"
#endif

namespace kg {

/// Loads N contiguous elements. On a GPU this is one access if `x` is aligned for it.
template <int N, class T>
KG_DEVICE void load_contiguous(const T* x, T (&values)[N]) {
#if KG_GPU
  if (is_aligned<N>(x)) {
    const Pack<T, N> pack = load_pack<N>(x);
    KG_UNROLL for (int e = 0; e < N; ++e) values[e] = pack.get(e);
    return;
  }
#endif
  KG_UNROLL for (int e = 0; e < N; ++e) values[e] = x[e];
}

/// Stores N contiguous elements. On a GPU this is one access if `y` is aligned for it.
template <int N, class T>
KG_DEVICE void store_contiguous(T* y, const T (&values)[N]) {
#if KG_GPU
  if (is_aligned<N>(y)) {
    Pack<T, N> pack{};
    KG_UNROLL for (int e = 0; e < N; ++e) pack.set(e, values[e]);
    return store_pack<N>(y, pack);
  }
#endif
  KG_UNROLL for (int e = 0; e < N; ++e) y[e] = values[e];
}

}  // namespace kg
