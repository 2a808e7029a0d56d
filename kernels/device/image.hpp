#pragma once
/// Walking the result of an operation on images.
#include "device/each.hpp"
#include "device/position.hpp"
#include "image_abi.hpp"

namespace kg {

/// Neighbouring elements of one row.
struct Run {
  u32 plane, row, column;
  u32 index;  ///< of the first, in the launch's piece of the result
  u32 count;
};

/// Most elements of a run. On a CPU enough to vectorise over, few enough to stay in the nearest cache.
inline constexpr u32 run_length = is_gpu ? 1 : 256;

/// Calls f(run) for this thread's part of the piece; on a GPU neighbouring threads take neighbouring elements.
template <class F>
KG_DEVICE void for_each_run(const ImagePiece& piece, F f) {
  const u32 columns = piece.columns.extent, rows = piece.rows.extent;
  if constexpr (is_gpu) {
    for_each_index(piece.elements, [&](u64 i) KG_INLINE {
      const u32 index = static_cast<u32>(i), line = divide(index, piece.columns);
      const u32 plane = divide(line, piece.rows);
      f(Run{plane, piece.first_row + line - plane * rows, index - line * columns, index, 1});
    });
  } else {
    const u64 blocks = grid_size(), block = block_index();
    u32 index = static_cast<u32>(piece.elements * block / blocks);
    const u32 last = static_cast<u32>(piece.elements * (block + 1) / blocks);
    u32 line = index / columns, column = index % columns;
    while (index < last) {
      u32 count = columns - column < run_length ? columns - column : run_length;
      count = last - index < count ? last - index : count;
      f(Run{line / rows, piece.first_row + line % rows, column, index, count});
      index += count;
      column += count;
      if (column == columns) {
        column = 0;
        ++line;
      }
    }
  }
}

/// f(j) for each j from `first` to `last` of a run. One vector at a time: runs are short.
template <class F>
KG_DEVICE void for_each_of_run(u32 first, u32 last, F f) {
#if !defined(__HIP__) && !defined(__CUDACC__)
#pragma clang loop vectorize(enable) interleave_count(1)
#endif
  for (i64 j = first; j < static_cast<i64>(last); ++j) f(j);
}

template <i64 Value>
struct ConstantStride {
  KG_DEVICE constexpr operator i64() const { return Value; }
};

/// Calls f(stride), on a CPU with a constant where that makes a loop over neighbours vectorise.
template <class F>
KG_DEVICE void with_stride(i64 stride, F f) {
  if constexpr (!is_gpu) {
    if (stride == 1) return f(ConstantStride<1>{});
    if (stride == 2) return f(ConstantStride<2>{});
  }
  f(stride);
}

}  // namespace kg
