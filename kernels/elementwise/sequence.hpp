#pragma once
/// Arithmetic sequences, and the waves that diffusion models encode time by.
#include "device/math.hpp"
#include "engines/grid_stride.hpp"

namespace kg {

/// y[i] = start + i · step; both are the bits of an i64 if T is an integer, else of an f64.
template <class T>
KG_DEVICE void arange(T* y, u64 n, u64 start, u64 step) {
  for_each_index(n, [&](u64 i) KG_INLINE {
    if constexpr (is_integer<T>)
      y[i] = static_cast<T>(start + i * step);
    else
      y[i] = convert<T>(fma(static_cast<f64>(i), bit_cast<f64>(step), bit_cast<f64>(start)));
  });
}

/// Each row of y has the cosines, then the sines, of x · exp(rate · j) for j up to columns / 2, and a zero if
/// the number of columns is odd (Vaswani et al., "Attention is all you need", 2017, section 3.5).
template <class T>
KG_DEVICE void timestep_embedding(const T* x, T* y, u64 rows, u32 columns, f64 rate) {
  using V = widened<T>;
  const u32 half = columns / 2;
  for_each_index(rows * columns, [&](u64 i) KG_INLINE {
    const u64 row = i / columns;
    const u32 column = static_cast<u32>(i - row * columns), wave = column < half ? column : column - half;
    const V angle = widen(x[row]) * exp(static_cast<V>(rate * static_cast<f64>(wave)));
    y[i] = column >= 2 * half ? T{} : convert<T>(column < half ? cos(angle) : sin(angle));
  });
}

}  // namespace kg
