#pragma once
/// Norms of contiguous rows without weights. y may alias x.
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {
namespace detail {

// What a row is multiplied by, from the sum of its squares.
struct RmsScale {
  u64 n;
  f64 eps;
  template <class V, class S>
  KG_DEVICE S of(S squares) const {
    return V(1) / sqrt(squares / static_cast<V>(n) + static_cast<V>(eps));
  }
};
struct L2Scale {
  f64 eps;
  template <class V, class S>
  KG_DEVICE S of(S squares) const {
    return V(1) / maximum(sqrt(squares), S(static_cast<V>(eps)));
  }
};

// The operation on one row as a function object: a CPU calls it with every row type.
template <class Scale>
struct ScaledRow {
  Scale scale;

  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y) const {
    using V = widened<T>;
    const auto factor = scale.template of<V>(row.template reduce<SumOfSquares<V>>());
    row.store(y, [=](auto v) KG_INLINE { return v * factor; });
  }
};
struct CentredRow {
  u64 n;
  f64 eps;

  template <class V, class Row, class T>
  KG_DEVICE void store(const Row& row, T* y, const typename Moments<V>::State& moments) const {
    const V mean = moments.mean, factor = RmsScale{n, eps}.of<V>(moments.squares);
    row.store(y, [=](V v) KG_INLINE { return (v - mean) * factor; });
  }
  /// Two passes around the mean: E[x²] - E[x]² would lose all digits of the variance if the mean is large.
  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y) const {
    using V = widened<T>;
    if constexpr (Row::is_multi_pass) {
      store<V>(row, y, row.template reduce<Moments<V>>());
    } else {
      const auto mean = row.template reduce<Sum<V>>() / static_cast<V>(n);
      auto&& centred = row.map([=](auto v) KG_INLINE { return v - mean; });
      ScaledRow<RmsScale>{{n, eps}}(centred, y);
    }
  }
};

template <class Scale, class T>
KG_DEVICE void scaled_combine(const T* x, T* y, const b64* states, u64 rows, u64 n, u64 part, Scale scale) {
  using V = widened<T>;
  map_partial_rows<SumOfSquares<V>>(RowOf<T>{x}, y, states, rows, n, part,
                                    [=](auto& row, V squares, T* target, u64) KG_INLINE {
                                      const V factor = scale.template of<V>(squares);
                                      row.store(target, [=](V v) KG_INLINE { return v * factor; });
                                    });
}

}  // namespace detail

/// x / sqrt(mean of x² + eps).
template <class T>
KG_DEVICE void plain_rms_norm(const T* x, T* y, u64 rows, u64 n, f64 eps, u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size, detail::ScaledRow<detail::RmsScale>{{n, eps}});
}
/// x / max(sqrt(sum of x²), eps).
template <class T>
KG_DEVICE void l2_norm(const T* x, T* y, u64 rows, u64 n, f64 eps, u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size, detail::ScaledRow<detail::L2Scale>{{eps}});
}
/// (x - mean) / sqrt(variance + eps).
template <class T>
KG_DEVICE void plain_layer_norm(const T* x, T* y, u64 rows, u64 n, f64 eps, u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size, detail::CentredRow{n, eps});
}

/// The second pass over rows in parts of `part` elements, whose States are those of rms_norm or layer_norm.
template <class T>
KG_DEVICE void plain_rms_norm_combine(const T* x, T* y, const b64* states, u64 rows, u64 n, u64 part,
                                      f64 eps) {
  detail::scaled_combine(x, y, states, rows, n, part, detail::RmsScale{n, eps});
}
template <class T>
KG_DEVICE void l2_norm_combine(const T* x, T* y, const b64* states, u64 rows, u64 n, u64 part, f64 eps) {
  detail::scaled_combine(x, y, states, rows, n, part, detail::L2Scale{eps});
}
template <class T>
KG_DEVICE void plain_layer_norm_combine(const T* x, T* y, const b64* states, u64 rows, u64 n, u64 part,
                                        f64 eps) {
  using V = widened<T>;
  map_partial_rows<Moments<V>>(RowOf<T>{x}, y, states, rows, n, part,
                               [=](auto& row, const auto& moments, T* target, u64)
                                   KG_INLINE { detail::CentredRow{n, eps}.store<V>(row, target, moments); });
}

}  // namespace kg
