#pragma once
/// Two inputs, element by element.
#include "map.hpp"
#include "map_tiled.hpp"

namespace kg {

/// y = op(x, other), or of the two swapped, where x has its neighbours along another dim than the result: see map_tiled.
template <class Op, class T>
KG_DEVICE void binary_tiled(Op op, const T* x, const T* other, T* y, const Tiles<2>& tiles, u32 swapped) {
  map_tiled([&](auto a, auto b) KG_INLINE { return op(swapped ? b : a, swapped ? a : b); }, y, tiles, x,
            other);
}

}  // namespace kg
