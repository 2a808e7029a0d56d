#pragma once
/// Square transposes in CPU registers.
#include "device/dialect.hpp"

namespace kg::detail {

/// One round of transpose(): interleaves row i with row i + side / 2.
template <class Vector, unsigned long side, int... K>
KG_DEVICE void interleave(Vector (&x)[side], Indices<K...>) {
  constexpr int n = side, lanes = sizeof...(K);
  Vector y[n];
  KG_UNROLL for (int i = 0; i < n / 2; ++i) {
    y[2 * i] = __builtin_shufflevector(x[i], x[i + n / 2], (K / n * n + K % n / 2 + K % 2 * lanes)...);
    y[2 * i + 1] =
        __builtin_shufflevector(x[i], x[i + n / 2], (K / n * n + n / 2 + K % n / 2 + K % 2 * lanes)...);
  }
  KG_UNROLL for (int i = 0; i < n; ++i) x[i] = y[i];
}

/// Transposes each of the squares that the vectors hold side by side.
template <class Vector, unsigned long side>
KG_DEVICE void transpose(Vector (&x)[side]) {
  // Row and column together are 2 log2(side) index bits; each round rotates them by one.
  constexpr unsigned long lanes = sizeof(Vector) / sizeof(x[0][0]);
  KG_UNROLL for (unsigned long round = 1; round < side; round *= 2)
      interleave(x, typename MakeIndices<lanes>::type{});
}

}  // namespace kg::detail
