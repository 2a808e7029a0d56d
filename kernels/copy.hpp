#pragma once
/// Moving elements of 1, 2, 4 or 8 bytes.
#include "device/tasks.hpp"
#include "device/tile.hpp"
#include "map.hpp"

namespace kg {

struct Identity {
  template <class T>
  KG_DEVICE T operator()(T x) const {
    return x;
  }
};

/// y strided by the last strides of `layout`: a copy into a view.
template <class T>
KG_DEVICE void copy_scatter(const T* x, T* y, const Strided<2>& layout) {
  map(Identity{}, y, layout, x);
}

/// A copy whose source steps by one along dim `axis` (not the innermost) of the output: tiles are read along
/// that dim and written along the innermost, so both sides move whole lines. One tile a block at a time. y is
/// contiguous.
template <class T>
KG_DEVICE void copy_tiled(const T* x, T* y, const Strided<1>& layout, u32 axis) {
  constexpr u32 side = is_gpu ? tile_side(sizeof(T)) : 128;
  // A bank more a row: columns of a tile would otherwise lie in one bank.
  constexpr u32 padding = sizeof(T) < 4 ? 4 / sizeof(T) : 1;
  KG_SHARED T tile[side][side + padding];
  const u32 columns = layout.dim[0].extent, rows = layout.dim[axis].extent;
  const i64 column_stride = layout.stride[0][0];
  const u32 tiles_across = (columns + side - 1) / side, tiles_down = (rows + side - 1) / side;
  const u32 slices = layout.elements / (columns * rows);
  i64 row_pitch = 1;  // of the output, between neighbours along `axis`
  for (u32 d = 0; d < axis; ++d) row_pitch *= layout.dim[d].extent;

  const u64 tiles = static_cast<u64>(tiles_across) * tiles_down * slices;
  for_each_run(tiles, 1, [&](u64 t, u64) KG_INLINE {
    u32 rest = static_cast<u32>(t);
    const u32 column0 = rest % tiles_across * side;
    rest /= tiles_across;
    const u32 row0 = rest % tiles_down * side;
    u32 slice = rest / tiles_down;
    i64 source = 0, target = 0, pitch = 1;
    KG_NO_UNROLL for (u32 d = 0; d < layout.rank; ++d) {
      const u32 extent = layout.dim[d].extent;
      if (d != 0 && d != axis) {
        source += slice % extent * layout.stride[0][d];
        target += slice % extent * pitch;
        slice /= extent;
      }
      pitch *= extent;
    }
    source += column0 * column_stride + row0;
    target += row0 * row_pitch + column0;
    const u32 width = columns - column0 < side ? columns - column0 : side;
    const u32 height = rows - row0 < side ? rows - row0 : side;
    move_tile<side>(
        width, height,
        [&](u32 column, u32 row) KG_INLINE { return x[source + column * column_stride + row]; },
        [&](u32 column, u32 row, T value) KG_INLINE { tile[column][row] = value; });
    sync();
    move_tile<side>(
        height, width, [&](u32 row, u32 column) KG_INLINE { return tile[column][row]; },
        [&](u32 row, u32 column, T value) KG_INLINE { y[target + row * row_pitch + column] = value; });
    sync();
  });
}

}  // namespace kg
