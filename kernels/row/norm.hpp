#pragma once
/// rms_norm and layer_norm of the sums of two operands' rows, which are a second result, and of rows for candle's kernels. The
/// kernels of rms_norm and layer_norm are generated from the steps in manifests/core/norm.json, which have one result.
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

/// x / sqrt(mean of x² + eps) · weight (Zhang and Sennrich, 2019). A body of map_rows() and combine_rows().
template <class V>
struct RmsNorm {
  using LongRowReduction = SumOfSquares<V>;
  static constexpr bool has_lanes = true;
  V n, eps;

  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y, const T* weight) const {
    finish(row, row.template reduce<LongRowReduction>(), y, weight);
  }
  template <class Row, class State, class T>
  KG_DEVICE void finish(Row& row, State squares, T* y, const T* weight) const {
    const auto scale = V(1) / sqrt(squares / n + eps);
    row.store(y, [=](auto v, auto w) KG_INLINE { return v * scale * w; }, weight);
  }
};

/// (x - mean) / sqrt(variance + eps) · weight + bias (Ba, Kiros and Hinton, 2016). A body of map_rows() and combine_rows().
template <class V>
struct LayerNorm {
  using LongRowReduction = Moments<V>;
  static constexpr bool has_lanes = true;
  V n, eps;

  /// Two passes around the mean: E[x²] - E[x]² would lose all digits of the variance if the mean is large.
  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y, const T* weight, const T* bias) const {
    if constexpr (Row::is_multi_pass) {
      finish(row, row.template reduce<LongRowReduction>(), y, weight, bias);
    } else {
      const auto mean = row.template reduce<Sum<V>>() / n;
      auto&& centred = row.map([=](auto v) KG_INLINE { return v - mean; });
      const auto scale = V(1) / sqrt(centred.template reduce<SumOfSquares<V>>() / n + eps);
      centred.store(y, [=](auto v, auto w, auto b) KG_INLINE { return fma(v * scale, w, b); }, weight, bias);
    }
  }
  template <class Row, class T>
  KG_DEVICE void finish(Row& row, const typename LongRowReduction::State& moments, T* y, const T* weight,
                        const T* bias) const {
    const V mean = moments.mean, scale = V(1) / sqrt(moments.squares / n + eps);
    row.store(y, [=](V v, V w, V b) KG_INLINE { return fma((v - mean) * scale, w, b); }, weight, bias);
  }
};

/// Stores x + residual, rounded, to `sum`, and the norm of the unrounded sum to y. Each may alias x or residual.
template <template <class> class Norm, class T, class... Operand>
KG_DEVICE void add_norm(const T* x, const T* residual, T* sum, T* y, u64 rows, u64 n, f64 eps, u32 group_size,
                        const Operand*... operands) {
  using V = widened<T>;
  map_rows(RowOfSums<T>{x, residual, sum}, y, rows, n, group_size,
           Norm<V>{static_cast<V>(n), static_cast<V>(eps)}, RowOperand<T>{operands, 0}...);
}

/// The two launches for rows in parts of `part` elements: _partial stores the State of each part, _combine the results and the
/// sums, which it recomputes unrounded from the operands.
template <template <class> class Norm, class T>
KG_DEVICE void add_norm_partial(const T* x, const T* residual, T* sum, b64* states, u64 rows, u64 n,
                                u64 part) {
  reduce_row_partials<typename Norm<widened<T>>::LongRowReduction>(RowOfSums<T>{x, residual, sum}, states,
                                                                   rows, n, part);
}
template <template <class> class Norm, class T, class... Operand>
KG_DEVICE void add_norm_combine(const T* x, const T* residual, T* sum, T* y, const b64* states, u64 rows,
                                u64 n, u64 part, f64 eps, const Operand*... operands) {
  using V = widened<T>;
  combine_rows(RowOfSums<T>{x, residual, sum}, y, states, rows, n, part,
               Norm<V>{static_cast<V>(n), static_cast<V>(eps)}, RowOperand<T>{operands, 0}...);
}

}  // namespace kg
