#pragma once
/// rms_norm and layer_norm of contiguous rows, or of the sums of two such rows. y may be x; of sums, y and what the sums
/// are kept in may be one operand each.
#include "engines/row.hpp"
#include "reduction.hpp"

namespace kg {

/// x / sqrt(mean of x² + eps) · weight (Zhang and Sennrich, 2019).
template <class Row, class T>
KG_DEVICE void rms_norm_row(Row& row, T* y, const T* weight, u64 n, f64 eps) {
  using V = widened<T>;
  const V square = row.template reduce<SumOfSquares<V>>() / static_cast<V>(n);
  const V scale = V(1) / sqrt(square + static_cast<V>(eps));
  row.store(y, [=](V v, V w) KG_INLINE { return v * scale * w; }, weight);
}

/// (x - mean) / sqrt(variance + eps) · weight + bias (Ba, Kiros and Hinton, 2016). The variance is taken around
/// the mean, in a second pass: E[x²] - E[x]² would lose it where the mean is large.
template <class Row, class T>
KG_DEVICE void layer_norm_row(Row& row, T* y, const T* weight, const T* bias, u64 n, f64 eps) {
  using V = widened<T>;
  const V mean = row.template reduce<Sum<V>>() / static_cast<V>(n);
  auto&& centred = row.map([=](V v) KG_INLINE { return v - mean; });
  const V variance = centred.template reduce<SumOfSquares<V>>() / static_cast<V>(n);
  const V scale = V(1) / sqrt(variance + static_cast<V>(eps));
  centred.store(y, [=](V v, V w, V b) KG_INLINE { return fma(v * scale, w, b); }, weight, bias);
}

template <class T>
KG_DEVICE void rms_norm(const T* x, const T* weight, T* y, u64 rows, u64 n, f64 eps, u32 group_size) {
  map_rows(
      RowOf<T>{x}, y, rows, n, group_size,
      [=](auto& row, T* target) KG_INLINE { rms_norm_row(row, target, weight, n, eps); }, weight);
}

template <class T>
KG_DEVICE void layer_norm(const T* x, const T* weight, const T* bias, T* y, u64 rows, u64 n, f64 eps,
                          u32 group_size) {
  map_rows(
      RowOf<T>{x}, y, rows, n, group_size,
      [=](auto& row, T* target) KG_INLINE { layer_norm_row(row, target, weight, bias, n, eps); }, weight,
      bias);
}

/// x + residual, rounded, to `sum`; its rms_norm, of what was not rounded, to y.
template <class T>
KG_DEVICE void add_rms_norm(const T* x, const T* residual, const T* weight, T* sum, T* y, u64 rows, u64 n,
                            f64 eps, u32 group_size) {
  map_rows(
      RowOfSums<T>{x, residual, sum}, y, rows, n, group_size,
      [=](auto& row, T* target) KG_INLINE { rms_norm_row(row, target, weight, n, eps); }, weight);
}

template <class T>
KG_DEVICE void add_layer_norm(const T* x, const T* residual, const T* weight, const T* bias, T* sum, T* y,
                              u64 rows, u64 n, f64 eps, u32 group_size) {
  map_rows(
      RowOfSums<T>{x, residual, sum}, y, rows, n, group_size,
      [=](auto& row, T* target) KG_INLINE { layer_norm_row(row, target, weight, bias, n, eps); }, weight,
      bias);
}

}  // namespace kg
