#pragma once
/// softmax of a row, also with sinks: for scaled_softmax.hpp and candle's kernels. The kernels of softmax and log_softmax are
/// generated from the steps in manifests/core/softmax.json.
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

/// Stores softmax of a row, given its maximum (`top`) and the sum of exp(x - top) over all elements.
template <class Row, class T>
KG_DEVICE void store_softmax(Row& row, T* y, const typename OnlineSoftmax<widened<T>>::State& state) {
  using Element = widened<T>;
  const Element top = state.top, scale = Element(1) / sum_of_exp<Element>(state);
  row.store(y, [=](Element v) KG_INLINE { return rough_exp(v - top) * scale; });
}

/// softmax of a row with additional logits (sinks), whose own results are not stored. A sink of -inf changes nothing. Rows in
/// registers are reduced twice, for the maximum and for the sum; rows that are read from memory again, once for both.
template <class Row, class T, class... V>
KG_DEVICE void softmax_row(Row& row, T* y, V... sinks) {
  using Element = widened<T>;
  if constexpr (Row::is_multi_pass) {
    using Reduction = OnlineSoftmax<Element>;
    auto state = row.template reduce<Reduction>();
    ((state = Reduction::combine(state, Reduction::of(sinks, 0))), ...);
    store_softmax(row, y, state);
  } else {
    Element top = row.template reduce<Max<Element>>();
    ((top = maximum(top, sinks)), ...);
    auto&& powers = row.map([=](Element v) KG_INLINE { return rough_exp(v - top); });
    Element sum = powers.template reduce<Sum<Element>>();
    ((sum = sum + rough_exp(sinks - top)), ...);
    const Element scale = Element(1) / divisor(sum);
    powers.store(y, [=](Element v) KG_INLINE { return v * scale; });
  }
}

}  // namespace kg
