#pragma once
/// softmax of rows that are scaled and masked as they are read, with an element more in each.
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
  /// Small for all types: the mask and its addresses take registers too.
  static constexpr bool keeps = false, is_small = true;

  const T* x;
  const b8* mask;
  detail::RowStep step;
  detail::RowWord is_half;
  Value scale, slope;

  KG_DEVICE RowOfLogits from(u64 element) const {
    const i64 offset = static_cast<i64>(element * step) * (is_half ? 2 : 4);
    return {x + element, mask == nullptr ? mask : mask + offset, step, is_half, scale, slope};
  }
  KG_DEVICE bool lies_at(const T* y) const { return x == y; }
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

/// x and y have rows of n contiguous elements; `shape` gives each row's offsets in the mask, the slopes and the
/// sinks, any of which may be null.
template <class T>
KG_DEVICE void scaled_softmax(const T* x, T* y, const b8* mask, const f32* slopes, const f32* sinks,
                              const ScaledSoftmaxShape& shape, u64 n, u32 group_size) {
  using V = widened<T>;
  const SpanStores stores(x == y ? 0 : shape.rows.elements * n * sizeof(T));
  for_each_span(shape.rows.elements, Group(group_size).count, [&](u64 first, u64 count) KG_INLINE {
    const Group group(uniform_optimization_barrier(group_size));
    const bool works = group.index < count;
    const u64 number = first + (works ? group.index : 0);
    const Position<3> at = locate(shape.rows, static_cast<u32>(number));
    const bool is_half = shape.mask_is_half != 0;
    const RowOfLogits<T> source{x + number * n,
                                mask == nullptr ? mask : mask + at.offset[0] * (is_half ? 2 : 4),
                                static_cast<u64>(shape.mask_step),
                                shape.mask_is_half,
                                static_cast<V>(shape.scale),
                                slopes == nullptr ? V(1) : static_cast<V>(slopes[at.offset[1]])};
    const V sink = static_cast<V>(sinks == nullptr ? -__builtin_inff() : sinks[at.offset[2]]);
    T* const target = y + number * n;
    with_row(
        group, source, n, works, stores, [&](auto&& row) KG_INLINE { softmax_row(row, target, sink); },
        target);
  });
}

}  // namespace kg
