#pragma once
/// Copies of elements of 1, 2, 4 or 8 bytes.
#include "elementwise/map.hpp"
#include "elementwise/tiled.hpp"

namespace kg {

/// Copies into a strided view. y has the last strides of `layout`.
template <class T>
KG_DEVICE void copy_scatter(const T* x, T* y, const Strided<2>& layout) {
  map(Identity{}, y, layout, x);
}

/// A copy whose source is contiguous along another dim than the result: see map_tiled.
template <class T>
KG_DEVICE void copy_tiled(const T* x, T* y, const Tiles<1>& tiles) {
  map_tiled(Identity{}, y, tiles, x);
}

}  // namespace kg
