#pragma once
/// Products of rows of blocks with quantized columns: integer dot products per slice of 32, scaled and
/// accumulated in f32.
///
///   multiply_rows<columns>(matrix, first, step, wave, shared, prepare, column, store)
///
/// computes rows first, first + step, … by the block's wave `wave`. `shared` has ring_bytes<W>(threads) bytes
/// for all waves of the block. `column(c)` is column c, a QuantizedColumn. store(row, c, value) is called
/// once for each product. prepare() is called once, before columns are read; if rows are staged in shared memory, after
/// their first copies are issued. All threads of the block reach it, so it may contain barriers.
#include "device/math.hpp"
#include "quantized/column.hpp"

namespace kg {

/// Rows of `slices` slices, `row_bytes` apart.
template <class W>
struct BlockMatrix {
  const u8* at;
  u32 rows;
  u32 slices;
  i64 row_bytes;

  KG_DEVICE const u8* row(u32 r) const { return at + i64{r} * row_bytes; }
};

}  // namespace kg

#if KG_GPU
#include "quantized/product_gpu.hpp"
#else
#include "quantized/product_cpu.hpp"
#endif
