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

/// Whether a row is reduced in spans, each by of_span(span): on a CPU, where States of single elements do not vectorize, spans
/// that fit L1; on a GPU the elements of a thread. span.reduce<R>(map) reduces the span's mapped elements by R.
template <class R>
inline constexpr bool reduces_spans = false;

template <class T>
struct RowOf {
  using Element = T;
  using Value = widened<T>;
  static constexpr bool keeps = false, is_compact_code = is_compact<T>;

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
  static constexpr bool keeps = true, is_compact_code = is_compact<T>;

  const T *a, *b;
  T* sum;

  KG_DEVICE RowOfSums from(u64 element) const { return {a + element, b + element, sum + element}; }
  KG_DEVICE bool aliases(const T* y) const { return a == y || b == y || a == sum || b == sum; }
  KG_DEVICE Value at(u64 i) const { return widen(a[i]) + widen(b[i]); }
};

}  // namespace kg
