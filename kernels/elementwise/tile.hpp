#pragma once
/// Square tiles of two dims of a result, one tile per block at a time.
#include "engines/position.hpp"
#include "engines/spans.hpp"
#include "plan/abi.hpp"

namespace kg {

/// Elements of a tile, with the strides of its outer and inner loop.
template <class T>
struct TileView {
  T* first;
  i64 outer, inner;
};

namespace detail {

/// Number of tiles that share memory transactions: their origins differ by less than the stride inside a tile,
/// in the result or in the first input. They differ in the last dims of the tiles' origins.
template <int N>
KG_DEVICE u32 interleaved_tiles(const Tiles<N>& tiles) {
  u32 count = 1;
  for (u32 d = tiles.origins.rank; d-- > 2;) {
    const i64 x_step = tiles.origins.stride[0][d];
    if (tiles.origins.stride[N][d] >= tiles.column_stride[N] &&
        (x_step <= 0 || x_step >= tiles.row_stride[0]))
      break;
    count *= tiles.origins.dim[d].extent;
  }
  return count;
}

}  // namespace detail

/// Calls f(width, height, corner) for this block's tiles: their columns and rows inside the result, and their
/// origin in every operand. On a GPU, tiles that share memory transactions are consecutive.
template <u32 Side, int N, class F>
KG_DEVICE void for_each_tile(const Tiles<N>& tiles, F f) {
  const u32 together = is_gpu ? detail::interleaved_tiles(tiles) : 1;
  const u32 apart = tiles.origins.elements / together;
  for_each_span(tiles.origins.elements, 1, [&](u64 t, u64) KG_INLINE {
    const Divisor &across = tiles.origins.dim[0], &down = tiles.origins.dim[1];
    const u32 turn = static_cast<u32>(t), first = turn / together;
    const u32 index = (turn - first * together) * apart + first, line = divide(index, across);
    const u32 columns_left = tiles.columns - (index - line * across.extent) * Side;
    const u32 rows_left = tiles.rows - (line - divide(line, down) * down.extent) * Side;
    f(columns_left < Side ? columns_left : Side, rows_left < Side ? rows_left : Side,
      locate(tiles.origins, index));
  });
}

namespace detail {

/// Computes `Count` results, `step` lines apart, before it stores the first. Unless `All`, only those below
/// `left` lines. Addresses are incremented from line to line: all at once would not fit the scalar registers.
template <u32 Count, bool All, class Op, class Out, class... In>
KG_DEVICE void map_lines(Op op, u32 step, u32 left, TileView<Out> y, TileView<In>... x) {
  Out values[Count];
  KG_UNROLL for (u32 k = 0; k < Count; ++k) {
    if (All || k * step < left) values[k] = op(*x.first...);
    ((x.first += x.outer * step), ...);
  }
  KG_UNROLL for (u32 k = 0; k < Count; ++k) {
    if (All || k * step < left) *y.first = values[k];
    y.first += y.outer * step;
  }
}

}  // namespace detail

/// y = op(x...) for every pair of indices below the two counts, each at most Side. y may alias one of x.
/// Consecutive threads of a block take consecutive inner indices.
template <u32 Side, class Op, class Out, class... In>
KG_DEVICE void map_tile(Op op, u32 outer_count, u32 inner_count, const TileView<Out>& y,
                        const TileView<In>&... x) {
  if constexpr (is_gpu) {
    // One-byte elements need scalar registers for the masks of their conversions.
    constexpr bool is_masked = sizeof...(In) > 1 && sizeof(Out) == 1;
    constexpr u32 few = is_masked ? 2 : 4, many = is_masked ? 4 : 16 / sizeof...(In);
    constexpr u32 share = Side * Side / block_threads, in_flight = share < many ? share : many;
    const u32 size = block_size(), thread = thread_index();
    const u32 lanes = size < Side ? size : Side, step = size < Side ? 1 : size / Side;
    const u32 first = size < Side ? 0 : thread / Side;
    if (first >= step) return;  // not a whole line of threads
    for (u32 inner = size < Side ? thread : thread % Side; inner < inner_count; inner += lanes) {
      const auto at = [&](auto view, u32 outer) KG_INLINE {
        view.first += outer * view.outer + inner * view.inner;
        return view;
      };
      u32 outer = first;
      KG_NO_UNROLL for (; outer + step * (in_flight - 1) < outer_count; outer += step * in_flight)
          detail::map_lines<in_flight, true>(op, step, 0, at(y, outer), at(x, outer)...);
      KG_NO_UNROLL for (; outer < outer_count; outer += step * few)
          detail::map_lines<few, false>(op, step, outer_count - outer, at(y, outer), at(x, outer)...);
    }
  } else {
    for (i64 outer = 0; outer < outer_count; ++outer)
      for (i64 inner = 0; inner < inner_count; ++inner)
        y.first[outer * y.outer + inner * y.inner] = op(x.first[outer * x.outer + inner * x.inner]...);
  }
}

}  // namespace kg
