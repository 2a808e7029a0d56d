#pragma once
/// Parts of strided operands whose elements are at constant distances from each other.
#include "engines/position.hpp"

namespace kg {

/// A part of the elements of a layout: those from the flat index `first` on.
template <int N>
struct OuterPart {
  u32 elements, first;
  i64 offset[N];  ///< of its first element in each operand
};

/// Divides a layout into two or four parts along its outermost dim; four of an outermost dim of 2 are the halves of its two slices. The
/// element at position i of a part is at the part's offsets plus those of the element with index i, so that a thread locates one for
/// all parts. No part is longer than the first; some may be empty. All strides must fit 32 bits.
template <u32 count, int N>
KG_DEVICE void divide_outer(const Strided<N>& layout, OuterPart<N> (&part)[count]) {
  static_assert(count == 2 || count == 4);
  const u32 last = layout.rank - 1;
  const bool in_halves = count == 4 && last > 0 && layout.dim[last].extent == 2;
  const u32 d = in_halves ? last - 1 : last, slice = in_halves ? layout.elements / 2 : layout.elements;
  const u32 extent = layout.dim[d].extent,
            length = in_halves ? (extent + 1) / 2 : (extent + count - 1) / count;
  const u32 step = divide(slice, layout.dim[d]) * length;
  const auto elements_from = [&](u32 begin) KG_INLINE {
    const u32 left = begin < slice ? slice - begin : 0;
    return left < step ? left : step;
  };
  part[0] = {step, 0, {}};
  part[1] = {elements_from(step), step, {}};
  KG_UNROLL for (int n = 0; n < N; ++n) part[1].offset[n] =
      static_cast<i64>(static_cast<i32>(length)) * static_cast<i32>(layout.stride[n][d]);
  if constexpr (count == 4) {
    part[2] = in_halves ? OuterPart<N>{step, slice, {}} : OuterPart<N>{elements_from(2 * step), 2 * step, {}};
    part[3] = {in_halves ? part[1].elements : elements_from(3 * step), part[2].first + step, {}};
    KG_UNROLL for (int n = 0; n < N; ++n) {
      part[2].offset[n] = in_halves ? layout.stride[n][last] : 2 * part[1].offset[n];
      part[3].offset[n] = part[2].offset[n] + part[1].offset[n];
    }
  }
}

}  // namespace kg
