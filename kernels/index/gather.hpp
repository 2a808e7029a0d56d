#pragma once
/// Gathers elements by index. An index that is the largest value of its type, or out of range, gives 0.
///
///   gather(x, ids, y, layout, step, first, rows, check)
///
/// One index per element of a row of y, starting at element `first` of the result. `layout` has the strides
/// of x, with 0 along the indexed dim, then those of ids; elements of x are `step` apart along the indexed
/// dim. `rows` rows share these indices; on a CPU `rows.count` is 1, because the strides already express
/// shared rows.
///
///   gather_spans(x, ids, y, spans, step, first, length, part, threads, check)
///
/// One index per span of `length` contiguous elements in x and y. `spans` enumerates the spans as `layout`
/// does the elements above. A group of `threads` copies up to `part` elements of a span at a time.
#include "device/dialect.hpp"

namespace kg {

/// Rows of a result that share their indices, and the tile of them that a GPU block processes at a time.
struct GatherRows {
  u32 count;
  i64 x_step, y_step;  ///< between rows
  u32 tile_columns, tile_rows;

  KG_DEVICE GatherRows(u32 count, i64 x_step, i64 y_step, u32 tile_columns, u32 tile_rows)
      : count(count), x_step(x_step), y_step(y_step), tile_columns(tile_columns), tile_rows(tile_rows) {}
};

}  // namespace kg

#if KG_GPU
#include "index/gather_gpu.hpp"
#else
#include "index/gather_cpu.hpp"
#endif
