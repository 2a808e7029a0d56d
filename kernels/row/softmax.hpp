#pragma once
/// softmax and log_softmax of contiguous rows. y may alias x.
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {
namespace detail {

template <class Row, class T, class State>
KG_DEVICE void store_softmax(const Row& row, T* y, const State& state) {
  using V = widened<T>;
  const V top = state.top, scale = V(1) / sum_of_powers<V>(state);
  row.store(y, [=](V v) KG_INLINE { return rough_exp(v - top) * scale; });
}

template <class Row, class T, class State>
KG_DEVICE void store_log_softmax(const Row& row, T* y, const State& state) {
  using V = widened<T>;
  const V top = state.top, logarithm = log(sum_of_powers<V>(state));
  row.store(y, [=](V v) KG_INLINE { return v - top - logarithm; });
}

}  // namespace detail

template <class Row, class T>
KG_DEVICE void softmax_row(Row& row, T* y) {
  using V = widened<T>;
  if constexpr (Row::is_multi_pass) {
    detail::store_softmax(row, y, row.template reduce<SumOfExpBelowTop<V>>());
  } else {
    const auto top = row.template reduce<Max<V>>();
    auto&& powers = row.map([=](auto v) KG_INLINE { return rough_exp(v - top); });
    const auto sum = powers.template reduce<Sum<V>>();
    const auto scale = V(1) / divisor(sum);
    powers.store(y, [=](auto v) KG_INLINE { return v * scale; });
  }
}

template <class Row, class T>
KG_DEVICE void log_softmax_row(Row& row, T* y) {
  using V = widened<T>;
  if constexpr (Row::is_multi_pass) {
    detail::store_log_softmax(row, y, row.template reduce<SumOfExpBelowTop<V>>());
  } else {
    const auto top = row.template reduce<Max<V>>();
    auto&& below = row.map([=](auto v) KG_INLINE { return v - top; });
    const auto logarithm = log(below.template reduce<SumOfExp<V>>());
    below.store(y, [=](auto v) KG_INLINE { return v - logarithm; });
  }
}

namespace detail {

// The operation on one row as a function object: a CPU calls it with every row type.
struct Softmax {
  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y) const {
    softmax_row(row, y);
  }
};
struct LogSoftmax {
  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y) const {
    log_softmax_row(row, y);
  }
};

}  // namespace detail

template <class T>
KG_DEVICE void softmax(const T* x, T* y, u64 rows, u64 n, u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size, detail::Softmax{});
}

template <class T>
KG_DEVICE void log_softmax(const T* x, T* y, u64 rows, u64 n, u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size, detail::LogSoftmax{});
}

/// Two-pass form for rows in parts of `part` elements: _partial stores the State of each part, _combine the
/// results.
template <class T>
KG_DEVICE void softmax_partial(const T* x, b64* states, u64 rows, u64 n, u64 part) {
  reduce_row_partials<SumOfExpBelowTop<widened<T>>>(RowOf<T>{x}, states, rows, n, part);
}

template <class T>
KG_DEVICE void softmax_combine(const T* x, T* y, const b64* states, u64 rows, u64 n, u64 part) {
  map_partial_rows<SumOfExpBelowTop<widened<T>>>(RowOf<T>{x}, y, states, rows, n, part,
                                                 [](auto& row, const auto& state, T* target, u64) KG_INLINE {
                                                   detail::store_softmax(row, target, state);
                                                 });
}

template <class T>
KG_DEVICE void log_softmax_combine(const T* x, T* y, const b64* states, u64 rows, u64 n, u64 part) {
  map_partial_rows<SumOfExpBelowTop<widened<T>>>(RowOf<T>{x}, y, states, rows, n, part,
                                                 [](auto& row, const auto& state, T* target, u64) KG_INLINE {
                                                   detail::store_log_softmax(row, target, state);
                                                 });
}

}  // namespace kg
