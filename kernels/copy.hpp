#pragma once
/// Moving elements of 1, 2, 4 or 8 bytes.
#include "map.hpp"
#include "map_tiled.hpp"

namespace kg {

/// y strided by the last strides of `layout`: a copy into a view.
template <class T>
KG_DEVICE void copy_scatter(const T* x, T* y, const Strided<2>& layout) {
  map(Identity{}, y, layout, x);
}

/// A copy whose source has its neighbours along another dim than the result: see map_tiled.
template <class T>
KG_DEVICE void copy_tiled(const T* x, T* y, const Tiles<1>& tiles) {
  map_tiled(Identity{}, y, tiles, x);
}

}  // namespace kg
