#pragma once
/// Squares of elements turned in a CPU's registers.
#include "device/dialect.hpp"

namespace kg::detail {

/// A round of transpose(): row i's elements meet those of row i + lanes / 2, in turn.
template <class Vector, unsigned long lanes, int... K>
KG_DEVICE void interleave(Vector (&x)[lanes], Indices<K...>) {
  constexpr int n = lanes;
  Vector y[n];
  KG_UNROLL for (int i = 0; i < n / 2; ++i) {
    y[2 * i] = __builtin_shufflevector(x[i], x[i + n / 2], (K / 2 + K % 2 * n)...);
    y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + n / 2], (n / 2 + K / 2 + K % 2 * n)...);
  }
  KG_UNROLL for (int i = 0; i < n; ++i) x[i] = y[i];
}

/// Rows become columns, of as many vectors as a vector has elements.
template <class Vector, unsigned long lanes>
KG_DEVICE void transpose(Vector (&x)[lanes]) {
  // An element's row and column are twice log2(lanes) bits, which a round turns by one.
  KG_UNROLL for (unsigned long round = 1; round < lanes; round *= 2)
      interleave(x, typename MakeIndices<lanes>::type{});
}

}  // namespace kg::detail
