#pragma once
#include "device/convert.hpp"
#include "elementwise/tile.hpp"

namespace kg {

struct Identity {
  template <class T>
  KG_DEVICE T operator()(T x) const {
    return x;
  }
};

namespace detail {

template <u32 Side, int... K, class Op, class Out, int N, class T, class... Other>
KG_DEVICE void map_tiled(Indices<K...>, Op op, Out* y, const Tiles<N>& tiles, const T* x,
                         const Other*... others) {
  // One bank of padding per column avoids bank conflicts along rows.
  constexpr u32 pitch = Side + (sizeof(T) < 4 ? 4 / sizeof(T) : 1);
  KG_SHARED T column[Side * pitch];
  // On a CPU both strides are constant 1.
  const i64 x_step = is_gpu ? tiles.row_stride[0] : 1, y_step = is_gpu ? tiles.column_stride[N] : 1;
  const auto result = [&](T first, Other... rest)
                          KG_INLINE { return convert<Out>(op(widen(first), widen(rest)...)); };
  for_each_tile<Side>(tiles, [&](u32 width, u32 height, const Position<N + 1>& corner) KG_INLINE {
    map_tile<Side>(Identity{}, width, height, TileView<T>{column, pitch, 1},
                   TileView<const T>{x + corner.offset[0], tiles.column_stride[0], x_step});
    sync();
    map_tile<Side>(result, height, width, TileView<Out>{y + corner.offset[N], tiles.row_stride[N], y_step},
                   TileView<const T>{column, 1, pitch},
                   TileView<const Other>{others + corner.offset[K + 1], tiles.row_stride[K + 1],
                                         tiles.column_stride[K + 1]}...);
    sync();
  });
}

}  // namespace detail

/// y[i] = op(x[i], others[i]...) where x is contiguous along the tiles' rows, not along the innermost dim of
/// y. Reads x along its contiguous dim and transposes in shared memory, so that all accesses are coalesced.
/// One tile per block at a time. y may alias one of the others.
template <class Op, class Out, int N, class T, class... Other>
KG_DEVICE void map_tiled(Op op, Out* y, const Tiles<N>& tiles, const T* x, const Other*... others) {
  static_assert(N == 1 + sizeof...(Other), "strides an input");
  constexpr u32 side = is_gpu ? tile_side(sizeof(T)) : cpu_tile_side;
  detail::map_tiled<side>(typename MakeIndices<sizeof...(Other)>::type{}, op, y, tiles, x, others...);
}

}  // namespace kg
