#pragma once
/// Positions of several elements in strided operands.
#include "engines/position.hpp"

namespace kg {

/// locate() of several flat indices dim by dim, so that their divisions overlap; the outermost dim needs none. All strides must fit
/// `Stride`. Columns are not set.
template <class Stride, u32 count, int N>
KG_DEVICE void locate(const Strided<N>& layout, const u32 (&index)[count], Position<N> (&at)[count]) {
  u32 left[count];
  KG_UNROLL for (u32 k = 0; k < count; ++k) left[k] = index[k];
  const auto advance = [&](u32 d, u32 k, u32 coordinate) KG_INLINE {
    KG_UNROLL for (int n = 0; n < N; ++n) at[k].offset[n] +=
        static_cast<i64>(static_cast<i32>(coordinate)) * static_cast<Stride>(layout.stride[n][d]);
  };
  const u32 last = layout.rank - 1;
  KG_NO_UNROLL for (u32 d = 0; d < last; ++d) {
    KG_UNROLL for (u32 k = 0; k < count; ++k) {
      const u32 quotient = divide(left[k], layout.dim[d]);
      advance(d, k, left[k] - quotient * layout.dim[d].extent);
      left[k] = quotient;
    }
  }
  KG_UNROLL for (u32 k = 0; k < count; ++k) {
    advance(last, k, left[k]);
    // Without barriers, the compiler adds each term to the address by itself.
    KG_UNROLL for (int n = 0; n < N; ++n) at[k].offset[n] = optimization_barrier(at[k].offset[n]);
  }
}

}  // namespace kg
