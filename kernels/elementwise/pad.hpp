#pragma once
/// A contiguous tensor made of a strided one and of what is around it, and one of a part of each matrix.
#include "engines/coordinates.hpp"

namespace kg {
namespace detail {

/// The source coordinate that stands for `at`, which is outside by at most the extent, or a negative number
/// if that is the constant.
KG_DEVICE i64 padded_coordinate(i64 at, i64 extent, Padding padding) {
  if (at >= 0 && at < extent) return at;
  if (padding == Padding::constant) return -1;
  if (padding == Padding::replicate) return at < 0 ? 0 : extent - 1;
  if (padding == Padding::reflect) return at < 0 ? -at : 2 * (extent - 1) - at;
  return at < 0 ? at + extent : at - extent;
}

}  // namespace detail

template <class T>
KG_DEVICE void pad(const T* x, T* y, const Coordinates& shape, u32 padding, T value) {
  const Padding mode = static_cast<Padding>(padding);
  for_each_row_of(shape, [&](u32 index, u32 first, u32 count) KG_INLINE {
    i64 offset = 0;
    bool is_constant = false;
    for_each_outer(shape, index, [&](u32 d, i64 at) KG_INLINE {
      const i64 source = detail::padded_coordinate(at, shape.extent[d], mode);
      is_constant = is_constant || source < 0;
      offset += source * shape.stride[d];
    });
    const i64 start = shape.start[0], extent = shape.extent[0], step = shape.stride[0];
    const auto element = [&](i64 column) KG_INLINE {
      const i64 at = detail::padded_coordinate(column + start, extent, mode);
      return is_constant || at < 0 ? value : x[offset + at * step];
    };
    T* const target = y + index - first;
    if constexpr (is_gpu) {
      target[first] = element(first);
    } else {
      // Columns first … body are padding, body … tail the source's, tail … end padding.
      const i64 end = i64{first} + count;
      const auto clamp = [&](i64 column) KG_INLINE {
        return column < first ? first : column > end ? end : column;
      };
      const i64 body = clamp(-start), tail = is_constant ? body : clamp(extent - start);
      for (i64 c = first; c < body; ++c) target[c] = element(c);
      const T* const from = x + offset + start * step;
      if (step == 1)
        for (i64 c = body; c < tail; ++c) target[c] = from[c];
      else
        for (i64 c = body; c < tail; ++c) target[c] = from[c * step];
      for (i64 c = tail; c < end; ++c) target[c] = element(c);
    }
  });
}

/// The elements of each matrix that are at most `diagonal` columns right of the main diagonal, if `lower`, or
/// at least so many; `value` elsewhere. The shape's first two dims are columns and rows.
template <class T>
KG_DEVICE void triangle(const T* x, T* y, const Coordinates& shape, i64 diagonal, u32 lower, T value) {
  for_each_row_of(shape, [&](u32 index, u32 first, u32 count) KG_INLINE {
    i64 offset = shape.start[0] * shape.stride[0], row = 0;
    for_each_outer(shape, index, [&](u32 d, i64 at) KG_INLINE {
      if (d == 1) row = at;
      offset += at * shape.stride[d];
    });
    // Columns below `bound` are left of the border.
    const i64 bound = row + diagonal + (lower ? 1 : 0) - shape.start[0], step = shape.stride[0];
    for (i64 c = first; c < i64{first} + count; ++c)
      y[index + (c - first)] = (c < bound) == (lower != 0) ? x[offset + c * step] : value;
  });
}

}  // namespace kg
