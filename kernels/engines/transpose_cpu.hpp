#pragma once
/// Squares of elements turned in a CPU's registers.
#include "device/dialect.hpp"

namespace kg::detail {

/// A round of transpose(): row i's elements meet those of row i + side / 2, in turn.
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

/// Rows become columns, in each of the squares that as many vectors hold side by side as their elements make.
template <class Vector, unsigned long side>
KG_DEVICE void transpose(Vector (&x)[side]) {
  // An element's row and column are twice log2(side) bits, which a round turns by one.
  constexpr unsigned long lanes = sizeof(Vector) / sizeof(x[0][0]);
  KG_UNROLL for (unsigned long round = 1; round < side; round *= 2)
      interleave(x, typename MakeIndices<lanes>::type{});
}

}  // namespace kg::detail
