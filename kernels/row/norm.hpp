#pragma once
/// rms_norm and layer_norm of contiguous rows, or of sums of two such rows. y may alias x. For sums, y and
/// `sum` may each alias an operand.
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

namespace detail {

/// x / sqrt(mean of x² + eps) · weight (Zhang and Sennrich, 2019).
template <class Row, class T, class V>
KG_DEVICE void store_rms_norm(Row& row, T* y, V squares, const T* weight, u64 n, f64 eps) {
  const V scale = V(1) / sqrt(squares / static_cast<V>(n) + static_cast<V>(eps));
  row.store(y, [=](auto v, auto w) KG_INLINE { return v * scale * w; }, weight);
}

/// (x - mean) / sqrt(variance + eps) · weight + bias (Ba, Kiros and Hinton, 2016).
template <class Row, class T, class State>
KG_DEVICE void store_layer_norm(const Row& row, T* y, const State& moments, const T* weight, const T* bias,
                                u64 n, f64 eps) {
  using V = widened<T>;
  const V mean = moments.mean, scale = V(1) / sqrt(moments.squares / static_cast<V>(n) + static_cast<V>(eps));
  row.store(y, [=](V v, V w, V b) KG_INLINE { return fma((v - mean) * scale, w, b); }, weight, bias);
}

}  // namespace detail

template <class Row, class T>
KG_DEVICE void rms_norm_row(Row& row, T* y, const T* weight, u64 n, f64 eps) {
  detail::store_rms_norm(row, y, row.template reduce<SumOfSquares<widened<T>>>(), weight, n, eps);
}

/// Two passes around the mean: E[x²] - E[x]² would lose all digits of the variance if the mean is large.
template <class Row, class T>
KG_DEVICE void layer_norm_row(Row& row, T* y, const T* weight, const T* bias, u64 n, f64 eps) {
  using V = widened<T>;
  if constexpr (Row::is_multi_pass) {
    detail::store_layer_norm(row, y, row.template reduce<Moments<V>>(), weight, bias, n, eps);
  } else {
    const auto mean = row.template reduce<Sum<V>>() / static_cast<V>(n);
    auto&& centred = row.map([=](auto v) KG_INLINE { return v - mean; });
    const auto variance = centred.template reduce<SumOfSquares<V>>() / static_cast<V>(n);
    const auto scale = V(1) / sqrt(variance + static_cast<V>(eps));
    centred.store(y, [=](auto v, auto w, auto b) KG_INLINE { return fma(v * scale, w, b); }, weight, bias);
  }
}

namespace detail {

// The operation on one row as a function object: a CPU calls it with every row type.
struct RmsNorm {
  u64 n;
  f64 eps;

  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y, const T* weight) const {
    rms_norm_row(row, y, weight, n, eps);
  }
};
struct LayerNorm {
  u64 n;
  f64 eps;

  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y, const T* weight, const T* bias) const {
    layer_norm_row(row, y, weight, bias, n, eps);
  }
};

}  // namespace detail

template <class T>
KG_DEVICE void rms_norm(const T* x, const T* weight, T* y, u64 rows, u64 n, f64 eps, u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size, detail::RmsNorm{n, eps}, weight);
}

template <class T>
KG_DEVICE void layer_norm(const T* x, const T* weight, const T* bias, T* y, u64 rows, u64 n, f64 eps,
                          u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size, detail::LayerNorm{n, eps}, weight, bias);
}

/// Stores x + residual, rounded, to `sum`, and the rms_norm of the unrounded sum to y.
template <class T>
KG_DEVICE void add_rms_norm(const T* x, const T* residual, const T* weight, T* sum, T* y, u64 rows, u64 n,
                            f64 eps, u32 group_size) {
  map_rows(RowOfSums<T>{x, residual, sum}, y, rows, n, group_size, detail::RmsNorm{n, eps}, weight);
}

template <class T>
KG_DEVICE void add_layer_norm(const T* x, const T* residual, const T* weight, const T* bias, T* sum, T* y,
                              u64 rows, u64 n, f64 eps, u32 group_size) {
  map_rows(RowOfSums<T>{x, residual, sum}, y, rows, n, group_size, detail::LayerNorm{n, eps}, weight, bias);
}

/// Two-pass form for rows in parts of `part` elements: _partial stores the State of each part, _combine the
/// results. _combine also stores the sums, which it recomputes unrounded from the operands.
template <class T>
KG_DEVICE void rms_norm_partial(const T* x, b64* states, u64 rows, u64 n, u64 part) {
  reduce_row_partials<SumOfSquares<widened<T>>>(RowOf<T>{x}, states, rows, n, part);
}
template <class T>
KG_DEVICE void layer_norm_partial(const T* x, b64* states, u64 rows, u64 n, u64 part) {
  reduce_row_partials<Moments<widened<T>>>(RowOf<T>{x}, states, rows, n, part);
}
template <class T>
KG_DEVICE void add_rms_norm_partial(const T* x, const T* residual, T* sum, b64* states, u64 rows, u64 n,
                                    u64 part) {
  reduce_row_partials<SumOfSquares<widened<T>>>(RowOfSums<T>{x, residual, sum}, states, rows, n, part);
}
template <class T>
KG_DEVICE void add_layer_norm_partial(const T* x, const T* residual, T* sum, b64* states, u64 rows, u64 n,
                                      u64 part) {
  reduce_row_partials<Moments<widened<T>>>(RowOfSums<T>{x, residual, sum}, states, rows, n, part);
}

namespace detail {

template <class Source, class T>
KG_DEVICE void rms_norm_combine(const Source& source, const T* weight, T* y, const b64* states, u64 rows,
                                u64 n, u64 part, f64 eps) {
  map_partial_rows<SumOfSquares<widened<T>>>(
      source, y, states, rows, n, part,
      [=](auto& row, auto squares, T* target, u64 first)
          KG_INLINE { store_rms_norm(row, target, squares, weight + first, n, eps); },
      weight);
}

template <class Source, class T>
KG_DEVICE void layer_norm_combine(const Source& source, const T* weight, const T* bias, T* y,
                                  const b64* states, u64 rows, u64 n, u64 part, f64 eps) {
  map_partial_rows<Moments<widened<T>>>(
      source, y, states, rows, n, part,
      [=](auto& row, const auto& moments, T* target, u64 first)
          KG_INLINE { store_layer_norm(row, target, moments, weight + first, bias + first, n, eps); },
      weight, bias);
}

}  // namespace detail

template <class T>
KG_DEVICE void rms_norm_combine(const T* x, const T* weight, T* y, const b64* states, u64 rows, u64 n,
                                u64 part, f64 eps) {
  detail::rms_norm_combine(RowOf<T>{x}, weight, y, states, rows, n, part, eps);
}
template <class T>
KG_DEVICE void layer_norm_combine(const T* x, const T* weight, const T* bias, T* y, const b64* states,
                                  u64 rows, u64 n, u64 part, f64 eps) {
  detail::layer_norm_combine(RowOf<T>{x}, weight, bias, y, states, rows, n, part, eps);
}
template <class T>
KG_DEVICE void add_rms_norm_combine(const T* x, const T* residual, const T* weight, T* sum, T* y,
                                    const b64* states, u64 rows, u64 n, u64 part, f64 eps) {
  detail::rms_norm_combine(RowOfSums<T>{x, residual, sum}, weight, y, states, rows, n, part, eps);
}
template <class T>
KG_DEVICE void add_layer_norm_combine(const T* x, const T* residual, const T* weight, const T* bias, T* sum,
                                      T* y, const b64* states, u64 rows, u64 n, u64 part, f64 eps) {
  detail::layer_norm_combine(RowOfSums<T>{x, residual, sum}, weight, bias, y, states, rows, n, part, eps);
}

}  // namespace kg
