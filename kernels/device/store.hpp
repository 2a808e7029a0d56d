#pragma once
#include "device/dialect.hpp"

#if defined(__HIP__) || defined(__CUDACC__)
#include "device/pack.hpp"
#endif

namespace kg {

/// Stores N neighbouring elements: on a GPU by one access where `y` is aligned for it.
template <int N, class T>
KG_DEVICE void store_neighbours(T* y, const T (&values)[N]) {
#if defined(__HIP__) || defined(__CUDACC__)
  if (is_aligned<N>(y)) {
    Pack<T, N> pack{};
    KG_UNROLL for (int e = 0; e < N; ++e) pack.set(e, values[e]);
    return store_pack<N>(y, pack);
  }
#endif
  KG_UNROLL for (int e = 0; e < N; ++e) y[e] = values[e];
}

/// Whether one of N neighbours is NaN: on a GPU looked at by one access where `x` is aligned for it.
template <int N, class T>
KG_DEVICE bool has_nan(const T* x) {
  bool found = false;
#if defined(__HIP__) || defined(__CUDACC__)
  if (is_aligned<N>(x)) {
    const Pack<T, N> pack = load_pack<N>(x);
    KG_UNROLL for (int e = 0; e < N; ++e) found = found || widen(pack.get(e)) != widen(pack.get(e));
    return found;
  }
#endif
  KG_UNROLL for (int e = 0; e < N; ++e) found = found || widen(x[e]) != widen(x[e]);
  return found;
}

}  // namespace kg
