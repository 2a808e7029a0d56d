#pragma once
/// Products with quantized matrices: what their kernels and their caller share.
#include "plan/abi.hpp"

namespace kg {

/// A column of activations as quantized for products: slices of 32 elements, each 32 signed bytes q, an f32 d and the
/// sums of its two halves of q as i16. x is about q d. One column has first the slices' first halves, then their
/// second ones, then every d, then every pair of sums, so that neighbouring lanes read neighbours.
constexpr unsigned long long quantized_column_bytes(unsigned long long terms) { return terms / 32 * 40; }

/// Terms of a column that a GPU's block quantizes for itself, into shared memory.
inline constexpr unsigned quantized_shared_terms = 16384;
/// Columns that a kernel of many takes at a time.
inline constexpr unsigned quantized_columns = 8;

/// Columns that share an expert, `count` of `column`.
struct ExpertTile {
  unsigned expert, count, column[quantized_columns];
};
static_assert(sizeof(ExpertTile) == 40);

}  // namespace kg
