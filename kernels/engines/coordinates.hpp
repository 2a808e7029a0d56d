#pragma once
/// Loops of kernels that need an element's coordinates.
#include "engines/grid_stride.hpp"
#include "engines/position.hpp"
#include "plan/coordinates.hpp"

namespace kg {

/// Calls f(index, column, count) for this thread's share of the result: `count` elements of a row, from the
/// element `index`, whose innermost coordinate is `column`, on. One element on a GPU, long spans on a CPU.
template <class F>
KG_DEVICE void for_each_row_of(const Coordinates& shape, F f) {
  const u32 columns = shape.dim[0].extent;
  if constexpr (is_gpu) {
    for_each_index(shape.elements, [&](u64 i) KG_INLINE {
      const u32 index = static_cast<u32>(i);
      f(index, index - divide(index, shape.dim[0]) * columns, 1u);
    });
  } else {
    const u64 n = shape.elements, blocks = grid_size(), block = block_index();
    const u64 last = n * (block + 1) / blocks;
    for (u64 index = n * block / blocks; index < last;) {
      const u32 column = static_cast<u32>(index % columns);
      const u64 left = last - index, count = left < columns - column ? left : columns - column;
      f(static_cast<u32>(index), column, static_cast<u32>(count));
      index += count;
    }
  }
}

/// Calls f(dim, source coordinate) for the element's dims but the innermost.
template <class F>
KG_DEVICE void for_each_outer(const Coordinates& shape, u32 index, F f) {
  index = divide(index, shape.dim[0]);
  KG_NO_UNROLL for (u32 d = 1; d < shape.rank; ++d) {
    const u32 quotient = divide(index, shape.dim[d]);
    f(d, static_cast<i64>(index - quotient * shape.dim[d].extent) + shape.start[d]);
    index = quotient;
  }
}

}  // namespace kg
