#pragma once
/// Products with a matrix for each vector, which an index selects, as in mixtures of experts. Terms are contiguous.
#include "engines/index_check.hpp"
#include "matmul/matmul.hpp"
#include "plan/expert_matmul.hpp"
#include "plan/quantized.hpp"
#if KG_GPU
#include "matmul/expert_tiles_gpu.hpp"
#else
#include "matmul/expert_tiles_cpu.hpp"
#endif

namespace kg {

/// y[v, i] = Σ_t w[ids[v], i, t] · x[v / results_per_column, t] for `columns` columns, with x rounded to T. Columns
/// with out-of-range ids, and the largest value of their type, get zeros.
template <class T>
KG_DEVICE void expert_vector(const T* w, const f32* x, f32* y, u64 rows, u64 terms, i64 w_row,
                             i64 expert_step, u64 columns, u64 results_per_column, const b8* ids, u32 id_type,
                             u64 experts, b64* fault, u64 call, u64 operation) {
  const IndexCheck check(fault, call, operation, experts, 1, columns);
  const auto expert_of = [&](u64 v) KG_INLINE {
    return check.resolve(load_index(ids, static_cast<IdType>(id_type), v), [&] { return v; });
  };
  const detail::MatrixVector<T, f32> all{{w, rows, terms, w_row, 1}, {x, 1}};
  detail::multiply_expert_columns(all, y, columns, results_per_column, expert_step, expert_of);
}

/// y[c, i] = Σ_t w[e, i, t] · x[c, t] for the columns c of tiles: tile t has the columns from t · expert_tile_columns on, up to
/// as many as words[1] of its expert_tile_words says, and the expert words[0]. Results of other columns are unspecified.
template <class T>
KG_DEVICE void expert_tiles(const T* w, const T* x, f32* y, u64 rows, u64 terms, i64 w_row, i64 expert_step,
                            const u32* tiles, u64 tile_count) {
  const detail::ExpertTiles<T> all{
      {{x, expert_tile_columns, terms, static_cast<i64>(terms), 1}, {w, rows, terms, w_row, 1}},
      expert_step,
      tiles,
      y};
  detail::multiply_expert_tiles(all, tile_count);
}

}  // namespace kg
