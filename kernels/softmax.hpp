#pragma once
/// softmax and log_softmax of contiguous rows. y may be x.
#include "engines/row.hpp"
#include "reduction.hpp"

namespace kg {

template <class Row, class T>
KG_DEVICE void softmax_row(Row& row, T* y) {
  using V = widened<T>;
  const V top = row.template reduce<Max<V>>();
  auto&& powers = row.map([=](V v) KG_INLINE { return exp(v - top); });
  const V scale = V(1) / powers.template reduce<Sum<V>>();
  powers.store(y, [=](V v) KG_INLINE { return v * scale; });
}

template <class T>
KG_DEVICE void softmax(const T* x, T* y, u64 rows, u64 n, u32 group_size) {
  map_rows(RowOf<T>{x}, y, rows, n, group_size,
           [](auto& row, T* target) KG_INLINE { softmax_row(row, target); });
}

template <class T>
KG_DEVICE void log_softmax(const T* x, T* y, u64 rows, u64 n, u32 group_size) {
  using V = widened<T>;
  map_rows(RowOf<T>{x}, y, rows, n, group_size, [](auto& row, T* target) KG_INLINE {
    const V top = row.template reduce<Max<V>>();
    auto&& below = row.map([=](V v) KG_INLINE { return v - top; });
    const V logarithm = log(below.template reduce<SumOfExp<V>>());
    below.store(target, [=](V v) KG_INLINE { return v - logarithm; });
  });
}

}  // namespace kg
