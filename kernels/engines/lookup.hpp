#pragma once
/// Elements that indices point to:
///
///   look_up(x, ids, y, layout, step, first, rows, check)
///
/// An index for each element of a row of y, which are element `first` of the result and those behind it; one that is no
/// place gives 0. `layout` holds x's strides, 0 along the dim, then those of ids; x's elements lie `step` apart
/// along the dim. `rows` share these indices: one on a CPU, which sees from the strides what rows share.
///
///   look_up_runs(x, ids, y, runs, step, first, length, part, threads, check)
///
/// An index for each run of `length` neighbours in x and y. `runs` walks the runs as look_up's layout does the elements. A
/// group of `threads` takes up to `part` elements of a run at a time.
#include "device/dialect.hpp"

namespace kg {

/// Rows of a result that share their indices, and what a GPU's block takes of them at a time.
struct LookupRows {
  u32 count;
  i64 x_step, y_step;  ///< from row to row
  u32 tile_columns, tile_rows;

  KG_DEVICE LookupRows(u32 count, i64 x_step, i64 y_step, u32 tile_columns, u32 tile_rows)
      : count(count), x_step(x_step), y_step(y_step), tile_columns(tile_columns), tile_rows(tile_rows) {}
};

}  // namespace kg

#if KG_GPU
#include "engines/lookup_gpu.hpp"
#else
#include "engines/lookup_cpu.hpp"
#endif
