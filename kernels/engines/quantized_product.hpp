#pragma once
/// Rows of blocks times quantized columns: sums of products of bytes in integers, a slice of 32 at a time, which are scaled
/// and added up in f32.
///
///   multiply_rows<columns>(matrix, first, step, wave, shared, prepare, column, store)
///
/// takes the rows first, first + step and so on, for the `wave`-th wave of its block, which has ring_bytes<W>(threads) of
/// shared memory for all of them; `column(c)` is column c, a QuantizedColumn, and store(row, c, value) gets every product,
/// each once. prepare(), which all threads of a block come by, is called when rows are on their way and before columns are
/// read.
#include "device/math.hpp"
#include "engines/quantized_column.hpp"

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
#include "engines/quantized_product_gpu.hpp"
#else
#include "engines/quantized_product_cpu.hpp"
#endif
