#pragma once
/// What the elements of a row are, widened: those of one operand, or the sums of two operands', which are kept (stored,
/// rounded) on the way. An element is kept, and a result stored, only after its operands were read for the last time:
/// both may lie where operands do.
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

/// Whether a CPU reduces a row in runs that its first cache holds, each by of_run(run), where States of single elements
/// do not vectorise: run.reduce<R>(map) is R of the run's elements, mapped.
template <class R>
inline constexpr bool reduces_runs = false;

template <class T>
struct RowOf {
  using Element = T;
  using Value = widened<T>;
  static constexpr bool keeps = false;

  const T* x;

  KG_DEVICE RowOf from(u64 element) const { return {x + element}; }
  KG_DEVICE bool lies_at(const T* y) const { return x == y; }
  KG_DEVICE Value at(u64 i) const { return widen(x[i]); }
};

/// a + b, kept in `sum`.
template <class T>
struct RowOfSums {
  using Element = T;
  using Value = widened<T>;
  static constexpr bool keeps = true;

  const T *a, *b;
  T* sum;

  KG_DEVICE RowOfSums from(u64 element) const { return {a + element, b + element, sum + element}; }
  KG_DEVICE bool lies_at(const T* y) const { return a == y || b == y || a == sum || b == sum; }
  KG_DEVICE Value at(u64 i) const { return widen(a[i]) + widen(b[i]); }
};

}  // namespace kg
