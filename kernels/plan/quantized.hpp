#pragma once
/// Constants and layouts of products with quantized matrices, shared by kernels and their callers.
#include "plan/abi.hpp"

namespace kg {

/// Types of activations that are kernel arguments, numbered as the runtime's dtypes.
enum class ActivationType : unsigned { bf16 = 5, f16 = 6, f32 = 7 };

/// Bytes of a quantized column of activations. Slices of 32 elements each have 32 signed bytes q, an f32 d,
/// and the i16 sums of the two halves of q; x ≈ q d. A column stores the first halves of all slices, then
/// their second halves, then every d, then every pair of sums, so that adjacent lanes read contiguous data. A
/// multiple of 16, so that every column is aligned for 16-byte accesses.
constexpr unsigned long long quantized_column_bytes(unsigned long long terms) {
  return (terms / 32 * 40 + 15) / 16 * 16;
}

/// Maximum terms of a column that a GPU block quantizes into its own shared memory, and threads of such a
/// block.
inline constexpr unsigned quantized_shared_terms = 16384, quantized_vector_threads = 512;
/// Maximum columns that a kernel multiplies at a time by dot products.
inline constexpr unsigned quantized_columns = 8;
/// Columns and rows that a block multiplies at a time by matrix instructions, and the slices that it takes at a time.
inline constexpr unsigned quantized_tile_columns = 64, quantized_tile_rows = 64, quantized_tile_depth = 4;

/// Elements that a GPU block stages at a time to quantize blocks of up to 128.
inline constexpr unsigned quantize_staged_elements = 4096;

/// Slices (of 32 terms) of each of `k_splits` splits of a product's `slices`; the last split may have fewer.
constexpr unsigned long long quantized_split_slices(unsigned long long slices, unsigned long long k_splits) {
  const unsigned long long step = quantized_tile_depth * k_splits;
  return (slices + step - 1) / step * quantized_tile_depth;
}

/// Threads of the block that groups columns by expert.
inline constexpr unsigned group_columns_threads = 1024;
/// Words of a tile of up to `width` columns that share an expert: the expert, the number of columns, and their indices.
constexpr unsigned long long expert_tile_words(unsigned long long width) { return 2 + width; }

/// Staging of a row in shared memory by a wave of 32, on targets with asynchronous copies. In an iteration each lane
/// processes one slice. A stage has two iterations, or one if 32 slices have more than 720 bytes (q6_K, q8_0). Its bytes are
/// copied from the 16-byte boundary before them on, and unaligned reads load the word after them.
struct QuantizedStage {
  unsigned iteration_bytes, iterations, words;

  constexpr QuantizedStage(unsigned block_bytes, unsigned block_slices)
      : iteration_bytes(32 / block_slices * block_bytes),
        iterations(iteration_bytes <= 720 ? 2 : 1),
        words((iterations * iteration_bytes + 15) / 16 * 4 + 8) {
  }  // 4 words for the bytes before the row, 4 for the word after it
};
/// Stages of a wave's ring: one is read while the others are copied.
inline constexpr unsigned quantized_stages = 3;

/// Bytes of shared memory for the rings of a block of `threads`.
constexpr unsigned quantized_ring_bytes(unsigned threads, QuantizedStage stage) {
  return threads / 32 * quantized_stages * stage.words * 4;
}

}  // namespace kg
