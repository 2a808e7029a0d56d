#pragma once
#include "engines/matrix_pair.hpp"
#include "plan/expert_matmul.hpp"
#include "plan/quantized.hpp"

namespace kg::detail {

/// Tiles of columns that share an expert.
template <class T>
struct ExpertTiles {
  MatrixPair<T> first;  ///< the first tile's columns, and the first expert
  i64 expert_step;
  const u32* words;
  f32* y;

  /// Its columns, at most expert_tile_columns.
  KG_DEVICE u32 count(u64 tile) const { return at(tile)[1]; }
  KG_DEVICE u32 expert(u64 tile) const { return at(tile)[0]; }
  KG_DEVICE MatrixPair<T> operands(u64 tile, u32 expert, u32 count) const {
    MatrixPair<T> pair = first;
    pair.a.data += tile * expert_tile_columns * first.a.terms;
    pair.a.rows = count;
    pair.b.data += static_cast<i64>(expert) * expert_step;
    return pair;
  }
  KG_DEVICE f32* results(u64 tile) const { return y + tile * expert_tile_columns * first.b.rows; }

 private:
  KG_DEVICE const u32* at(u64 tile) const { return words + tile * expert_tile_words(expert_tile_columns); }
};

}  // namespace kg::detail
