#pragma once
/// Positions of several elements in strided operands.
#include "engines/position.hpp"

namespace kg {

/// locate() of several flat indices dim by dim, so that their divisions overlap. Columns are not set.
template <u32 count, int N>
KG_DEVICE void locate(const Strided<N>& layout, const u32 (&index)[count], Position<N> (&at)[count]) {
  u32 left[count];
  KG_UNROLL for (u32 k = 0; k < count; ++k) left[k] = index[k];
  KG_NO_UNROLL for (u32 d = 0; d < layout.rank; ++d) {
    KG_UNROLL for (u32 k = 0; k < count; ++k) {
      const u32 quotient = divide(left[k], layout.dim[d]);
      const u32 coordinate = left[k] - quotient * layout.dim[d].extent;
      KG_UNROLL for (int n = 0; n < N; ++n) at[k].offset[n] +=
          static_cast<i64>(coordinate) * layout.stride[n][d];
      left[k] = quotient;
    }
  }
}

}  // namespace kg
