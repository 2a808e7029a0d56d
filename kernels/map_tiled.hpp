#pragma once
#include "device/convert.hpp"
#include "engines/tile.hpp"

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
  // A bank more a column: elements of a row would otherwise lie in one bank.
  constexpr u32 pitch = Side + (sizeof(T) < 4 ? 4 / sizeof(T) : 1);
  KG_SHARED T column[Side * pitch];
  // A CPU's neighbours have nothing between them.
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

/// y[i] = op(x[i], others[i]...) where neighbours of x lie along the tiles' rows, not along the innermost dims of y: it
/// is read along those and turned in shared memory, so that accesses move whole lines. One tile a block at
/// a time. y may be one of the others.
template <class Op, class Out, int N, class T, class... Other>
KG_DEVICE void map_tiled(Op op, Out* y, const Tiles<N>& tiles, const T* x, const Other*... others) {
  static_assert(N == 1 + sizeof...(Other), "strides an input");
  constexpr u32 side = is_gpu ? tile_side(sizeof(T)) : cpu_tile_side;
  detail::map_tiled<side>(typename MakeIndices<sizeof...(Other)>::type{}, op, y, tiles, x, others...);
}

}  // namespace kg
