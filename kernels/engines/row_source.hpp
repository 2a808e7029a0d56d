#pragma once
/// The elements of a row, widened: those of one operand, or sums of two operands, which are also stored,
/// rounded. An element is stored only after the last read of its operands, so results may alias them.
#include "device/compact_code.hpp"
#include "device/convert.hpp"

namespace kg {
namespace detail {

struct Unchanged {
  template <class V>
  KG_DEVICE V operator()(V v) const {
    return v;
  }
};

}  // namespace detail

/// Whether reduction R has of_span(span), which computes the State of many elements at once: on a CPU, where States of single
/// elements do not vectorize, those that fit L1; on a GPU, those of a thread. span.reduce<S>(map) reduces the span's mapped
/// elements by S.
template <class R>
inline constexpr bool reduces_spans = false;

/// A row of one operand. `stores_sums`: whether the row stores its elements, as RowOfSums does.
template <class T>
struct RowOf {
  using Element = T;
  using Value = widened<T>;
  static constexpr bool stores_sums = false, is_compact_code = is_compact<T>;

  const T* x;

  KG_DEVICE RowOf from(u64 element) const { return {x + element}; }
  KG_DEVICE bool aliases(const T* y) const { return x == y; }
  KG_DEVICE Value at(u64 i) const { return widen(x[i]); }
};

/// a + b; the rounded sums are stored to `sum`.
template <class T>
struct RowOfSums {
  using Element = T;
  using Value = widened<T>;
  static constexpr bool stores_sums = true, is_compact_code = is_compact<T>;

  const T *a, *b;
  T* sum;

  KG_DEVICE RowOfSums from(u64 element) const { return {a + element, b + element, sum + element}; }
  KG_DEVICE bool aliases(const T* y) const { return a == y || b == y || a == sum || b == sum; }
  KG_DEVICE Value at(u64 i) const { return widen(a[i]) + widen(b[i]); }
};

}  // namespace kg
