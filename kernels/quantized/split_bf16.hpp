#pragma once
/// Activations split into two bf16: the nearest value and the nearest to the remainder, for products with
/// bf16 matrices. Both are rows of one matrix, so that one product covers them. add_partial_products adds
/// the partial results.
#include "engines/grid_stride.hpp"
#include "quantized/column.hpp"
#if KG_GPU
#include "device/pack.hpp"
#endif

namespace kg {

namespace detail {

#if KG_GPU
template <class X>
KG_DEVICE void split_columns(const X* x, bf16* y, u64 columns, u64 terms, i64 x_row) {
  const u64 packs = terms / 4;
  const bool are_aligned = is_aligned<4>(x) && (x_row & 3) == 0;
  for_each_index(columns * packs, [&](u64 i) KG_INLINE {
    const u64 column = i / packs, term = (i - column * packs) * 4;
    const X* const from = x + static_cast<i64>(column) * x_row + static_cast<i64>(term);
    Pack<X, 4> pack{};
    if (are_aligned) {
      pack = load_pack<4>(from);
    } else {
      KG_UNROLL for (int e = 0; e < 4; ++e) pack.set(e, from[e]);
    }
    Pack<bf16, 4> high{}, low{};
    KG_UNROLL for (int e = 0; e < 4; ++e) {
      const f32 value = widen(pack.get(e));
      const bf16 nearest = convert<bf16>(value);
      high.set(e, nearest);
      low.set(e, convert<bf16>(value - widen(nearest)));
    }
    bf16* const to = y + column * terms + term;
    store_pack(to, high);
    store_pack(to + columns * terms, low);
  });
}
#else
template <class X>
KG_DEVICE void split_columns(const X* x, bf16* y, u64 columns, u64 terms, i64 x_row) {
  for_each_index(columns * terms, [&](u64 i) KG_INLINE {
    const u64 column = i / terms;
    const f32 value = widen(x[static_cast<i64>(column) * x_row + static_cast<i64>(i - column * terms)]);
    y[i] = convert<bf16>(value);
    y[columns * terms + i] = convert<bf16>(value - widen(y[i]));
  });
}
#endif

}  // namespace detail

/// Splits `columns` rows of x, of `terms` elements (a multiple of 4) and `x_row` elements apart, into y: [2,
/// columns, terms].
KG_DEVICE void split_columns(const void* x, u32 activation_type, bf16* y, u64 columns, u64 terms, i64 x_row) {
  visit(static_cast<ActivationType>(activation_type), [&](auto* of_type) KG_INLINE {
    detail::split_columns(static_cast<const decltype(of_type)>(const_cast<void*>(x)), y, columns, terms,
                          x_row);
  });
}

}  // namespace kg
