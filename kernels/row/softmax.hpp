#pragma once
/// softmax of a row.
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

/// softmax of a row and of further elements, whose results are not stored. One of -inf changes nothing.
template <class Row, class T, class... V>
KG_DEVICE void softmax_row(Row& row, T* y, V... further) {
  using Element = widened<T>;
  if constexpr (Row::is_multi_pass) {
    using Reduction = SumOfExpBelowTop<Element>;
    auto state = row.template reduce<Reduction>();
    ((state = Reduction::combine(state, Reduction::of(further, 0))), ...);
    const Element top = state.top, scale = Element(1) / sum_of_powers<Element>(state);
    row.store(y, [=](Element v) KG_INLINE { return rough_exp(v - top) * scale; });
  } else {
    Element top = row.template reduce<Max<Element>>();
    ((top = maximum(top, further)), ...);
    auto&& powers = row.map([=](Element v) KG_INLINE { return rough_exp(v - top); });
    Element sum = powers.template reduce<Sum<Element>>();
    ((sum = sum + rough_exp(further - top)), ...);
    const Element scale = Element(1) / divisor(sum);
    powers.store(y, [=](Element v) KG_INLINE { return v * scale; });
  }
}

}  // namespace kg
