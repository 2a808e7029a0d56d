#pragma once
/// softmax of rows that are scaled and masked as they are read, with an additional logit (a sink) in each.
#include "device/convert.hpp"
#include "engines/position.hpp"
#include "plan/scaled_softmax.hpp"
#include "row/row.hpp"
#include "row/softmax.hpp"

#if KG_GPU
#include "device/args_in_lds.hpp"
#endif

namespace kg {
namespace detail {

// Scalar registers are scarce on GPUs.
#if KG_GPU
using RowWord = Uniform;
using RowStep = Uniform64;
#else
using RowWord = u32;
using RowStep = u64;
#endif

}  // namespace detail

/// scale · x + slope · mask. The mask's elements are f16 or f32, `step` apart; it may be null.
template <class T>
struct RowOfLogits {
  using Element = T;
  using Value = widened<T>;
  /// For all types: the mask and its addresses take registers too.
  static constexpr bool stores_sums = false, is_compact_code = true;

  const T* x;
  const b8* mask;
  detail::RowStep step;
  detail::RowWord is_half;
  Value scale, slope;

  KG_DEVICE RowOfLogits from(u64 element) const {
    const i64 offset = static_cast<i64>(element * step) * (is_half ? 2 : 4);
    return {x + element, mask == nullptr ? mask : mask + offset, step, is_half, scale, slope};
  }
  KG_DEVICE bool aliases(const T* y) const { return x == y; }
  KG_DEVICE Value logit(Value v, u64 i) const {
    if (mask == nullptr) return v * scale;
    const i64 at = static_cast<i64>(i * step);
    const f32 m =
        is_half ? widen(reinterpret_cast<const f16*>(mask)[at]) : reinterpret_cast<const f32*>(mask)[at];
    return fma(slope, static_cast<Value>(m), v * scale);
  }
  KG_DEVICE Value at(u64 i) const { return logit(widen(x[i]), i); }
};

namespace detail {

#if KG_GPU
template <class T, int W>
struct SourcePack<RowOfLogits<T>, W> {
  widened<T> value[W];

  KG_DEVICE void load(const RowOfLogits<T>& source, u64 element) {
    SourcePack<RowOf<T>, W> pack;
    pack.load({source.x}, element);
    pack.widen_to(value);
    KG_UNROLL for (int e = 0; e < W; ++e) value[e] = source.logit(value[e], element + e);
  }
  KG_DEVICE void widen_to(widened<T>* values) const {
    KG_UNROLL for (int e = 0; e < W; ++e) values[e] = value[e];
  }
};
#endif

}  // namespace detail

/// All rows of a call. `shape` gives each row's offsets in the mask, the slopes and the sinks, any of which may be null.
template <class T>
struct RowsOfLogits {
  using Element = T;
  using Value = widened<T>;
  static constexpr bool stores_sums = false, is_compact_code = true;

  const T* x;
  const b8* mask;
  const f32 *slopes, *sinks;
  const ScaledSoftmaxShape& shape;
  u64 n;

  KG_DEVICE Position<3> locate_row(u64 number) const { return locate(shape.rows, static_cast<u32>(number)); }
  KG_DEVICE RowOfLogits<T> row(u64 number, const Position<3>& at) const {
    const bool is_half = shape.mask_is_half != 0;
    return {x + number * n,
            mask == nullptr ? mask : mask + at.offset[0] * (is_half ? 2 : 4),
            static_cast<u64>(shape.mask_step),
            shape.mask_is_half,
            static_cast<Value>(shape.scale),
            slopes == nullptr ? Value(1) : static_cast<Value>(slopes[at.offset[1]])};
  }
  /// The sink of a row; -inf, which changes nothing, without sinks.
  KG_DEVICE Value sink(const Position<3>& at) const {
    return static_cast<Value>(sinks == nullptr ? -__builtin_inff() : sinks[at.offset[2]]);
  }
  /// A row from one of its elements on.
  KG_DEVICE RowOfLogits<T> from(u64 element) const {
    const u64 number = element / n;
    return row(number, locate_row(number)).from(element - number * n);
  }
};

/// softmax of all rows. x and y have rows of n contiguous elements.
template <class T>
KG_DEVICE void scaled_softmax(const T* x, T* y, const b8* mask, const f32* slopes, const f32* sinks,
                              const ScaledSoftmaxShape& shape, u64 n, u32 group_size) {
  const SpanStores stores(x == y ? 0 : shape.rows.elements * n * sizeof(T));
  for_each_span(shape.rows.elements, Group(group_size).count, [&](u64 first, u64 count) KG_INLINE {
    const Group group(uniform_optimization_barrier(group_size));
    const bool works = group.index < count;
    const u64 number = first + (works ? group.index : 0);
    const RowsOfLogits<T> rows{x, mask, slopes, sinks, shape, n};
    const Position<3> at = rows.locate_row(number);
    const RowOfLogits<T> source = rows.row(number, at);
    const widened<T> sink = rows.sink(at);
    T* const target = y + number * n;
    with_row(
        group, source, n, works, stores, [&](auto&& row) KG_INLINE { softmax_row(row, target, sink); },
        target);
  });
}

/// The two launches for rows that are too long and too few for a block each, as in row.hpp: `partials` is State [rows, parts].
template <class T>
KG_DEVICE void scaled_softmax_partial(const T* x, const b8* mask, const f32* slopes, b64* partials,
                                      const ScaledSoftmaxShape& shape, u64 n, u64 part) {
  reduce_row_partials<OnlineSoftmax<widened<T>>>(RowsOfLogits<T>{x, mask, slopes, nullptr, shape, n},
                                                 partials, shape.rows.elements, n, part);
}

template <class T>
KG_DEVICE void scaled_softmax_combine(const T* x, T* y, const b8* mask, const f32* slopes, const f32* sinks,
                                      const b64* partials, const ScaledSoftmaxShape& shape, u64 n, u64 part) {
  using Reduction = OnlineSoftmax<widened<T>>;
  const RowsOfLogits<T> rows{x, mask, slopes, sinks, shape, n};
  const u64 parts = (n + part - 1) / part;
  detail::for_each_row_part(
      rows, shape.rows.elements, n, part, SpanStores(x == y ? 0 : shape.rows.elements * n * sizeof(T)),
      [&](auto& row, u64, u64 number, u64 first, const Group& group) KG_INLINE {
        const auto state = combine_partials<Reduction>(group, partials, number, parts);
        store_softmax(row, y + number * n + first,
                      Reduction::combine(state, Reduction::of(rows.sink(rows.locate_row(number)), 0)));
      },
      y);
}

}  // namespace kg
