#pragma once
/// Binary operations, element by element.
#include "elementwise/map.hpp"
#include "elementwise/tiled.hpp"

namespace kg {

/// y = op(x, other), or op(other, x) if `swapped`, where x is contiguous along another dim than the result:
/// see map_tiled.
template <class Op, class T>
KG_DEVICE void binary_tiled(Op op, const T* x, const T* other, T* y, const Tiles<2>& tiles, u32 swapped) {
  map_tiled([&](auto a, auto b) KG_INLINE { return op(swapped ? b : a, swapped ? a : b); }, y, tiles, x,
            other);
}

}  // namespace kg
