#pragma once
/// Products with quantized matrices: what their kernels and their caller share.
#include "plan/abi.hpp"

namespace kg {

/// A column of activations as quantized for products: slices of 32 elements, each 32 signed bytes q, an f32 d and the
/// sums of its two halves of q as i16. x is about q d. One column has first the slices' first halves, then their
/// second ones, then every d, then every pair of sums, so that neighbouring lanes read neighbours.
/// A multiple of 16, so that those accesses fit every column.
constexpr unsigned long long quantized_column_bytes(unsigned long long terms) {
  return (terms / 32 * 40 + 15) / 16 * 16;
}

/// Terms of a column that a GPU's block quantizes for itself, into shared memory, and threads of such a block.
inline constexpr unsigned quantized_shared_terms = 16384, quantized_vector_threads = 512;
/// Columns that a kernel of many takes at a time.
inline constexpr unsigned quantized_columns = 8;

/// Columns that share an expert, `count` of `column`.
struct ExpertTile {
  unsigned expert, count, column[quantized_columns];
};
static_assert(sizeof(ExpertTile) == 40);

/// What a wave of 32 has of a row in shared memory ahead of its use, where copies go there past the registers: stages of
/// one or two turns, in each of which a lane takes a slice.
struct QuantizedStage {
  unsigned turn_bytes, turns, words;

  constexpr QuantizedStage(unsigned block_bytes, unsigned block_slices)
      : turn_bytes(32 / block_slices * block_bytes),
        turns(turn_bytes <= 720 ? 2 : 1),
        words((turns * turn_bytes + 15) / 16 * 4 + 8) {}  // the last word is read with the one behind it
};
inline constexpr unsigned quantized_stages = 3;

/// Bytes of those of a block of `threads`.
constexpr unsigned quantized_ring_bytes(unsigned threads, QuantizedStage stage) {
  return threads / 32 * quantized_stages * stage.words * 4;
}

}  // namespace kg
