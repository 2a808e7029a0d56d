#pragma once
/// Distributes the result elements of an operation on images over threads.
#include "device/contiguous.hpp"
#include "engines/copy_span.hpp"
#include "engines/grid_stride.hpp"
#include "engines/position.hpp"
#include "plan/image.hpp"

namespace kg {

/// Contiguous elements of one row.
struct Run {
  u32 plane, row, column;
  u32 index;  ///< of the first element, in the launch's piece of the result
  u32 count;
};

/// Maximum elements of a Run.
inline constexpr u32 run_length = is_gpu ? 1 : cpu_patch_columns;

/// Calls f(run) for this thread's share of the piece. On a GPU consecutive threads take consecutive elements.
template <class F>
KG_DEVICE void for_each_span(const ImagePiece& piece, F f) {
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

/// A rectangle of one plane.
struct Patch {
  u32 plane, row, column;
  u32 index;  ///< of the first element, in the launch's piece of the result
  u32 width, height;
};

/// Calls f(patch) for this thread's share of the patches, which have up to `Columns` columns.
template <u32 Columns, class F>
KG_DEVICE void for_each_patch(const ImagePatches& patches, F f) {
  const ImagePiece& piece = patches.piece;
  for_each_index(patches.patches, [&](u64 i) KG_INLINE {
    const u32 index = static_cast<u32>(i), line = divide(index, patches.across);
    const u32 plane = divide(line, patches.down);
    const u32 column = (index - line * patches.across.extent) * Columns;
    const u32 row = (line - plane * patches.down.extent) * patches.patch_rows;
    const u32 columns = piece.columns.extent - column, rows = piece.rows.extent - row;
    f(Patch{plane, piece.first_row + row, column,
            (plane * piece.rows.extent + row) * piece.columns.extent + column,
            columns < Columns ? columns : Columns, rows < patches.patch_rows ? rows : patches.patch_rows});
  });
}

/// Calls f(j) for j below `count`. On a GPU, calls it for all N, fully unrolled, so that arrays of N stay in
/// registers.
template <u32 N, class F>
KG_DEVICE void for_each_unrolled(u32 count, F f) {
  if constexpr (is_gpu) {
    KG_UNROLL for (i64 j = 0; j < N; ++j) f(j);
  } else {
    for (i64 j = 0; j < count; ++j) f(j);
  }
}

/// Stores the first `width` elements.
template <u32 Columns, class T>
KG_DEVICE void store_columns(T* y, const T (&values)[Columns], u32 width, const SpanStores& stores) {
  if constexpr (is_gpu) {
    if (width == Columns) return store_contiguous(y, values);
    KG_UNROLL for (u32 j = 0; j < Columns; ++j) {
      if (j < width) y[j] = values[j];
    }
  } else {
    store_span(values, y, width, stores);
  }
}

/// Calls f(j) for `first` ≤ j < `last`, vectorized without interleaving, because the loops are short.
template <class F>
KG_DEVICE void for_each_of_run(u32 first, u32 last, F f) {
  KG_SHORT_LOOP for (i64 j = first; j < static_cast<i64>(last); ++j) f(j);
}

template <i64 Value>
struct Constant {
  static constexpr i64 value = Value;
  KG_DEVICE constexpr operator i64() const { return Value; }
};

/// Calls f(stride). On a CPU, strides 1 and 2 are passed as constants, so that loops vectorize.
template <class F>
KG_DEVICE void with_stride(i64 stride, F f) {
  if constexpr (!is_gpu) {
    if (stride == 1) return f(Constant<1>{});
    if (stride == 2) return f(Constant<2>{});
  }
  f(stride);
}

}  // namespace kg
