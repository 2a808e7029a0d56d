#pragma once
/// Reductions of several inputs on a CPU, in vectors.
#include "reduce/inputs_reduction.hpp"
#include "reduce/reduce.hpp"

namespace kg::detail {

/// Some elements of each input, one after another.
template <class R>
struct HeldInputs {
  static constexpr u32 lanes = 256 / sizeof(typename R::State);
  typename R::State value[R::inputs][lanes];

  /// Loads `count` elements, `stride` apart from these offsets on.
  template <class Offset>
  void load(const R& r, u32 to, u32 count, Offset offset, const i64 (&stride)[R::inputs]) {
    for (int n = 0; n < R::inputs; ++n) {
      const auto* const from = r.x[n] + offset(n);
      const auto get = [&](i64 i) KG_INLINE { return r.load(static_cast<u32>(n), offset(n) + i); };
      if (stride[n] == 1)
        for (u32 k = 0; k < count; ++k) value[n][to + k] = static_cast<typename R::State>(widen(from[k]));
      else
        for (u32 k = 0; k < count; ++k) value[n][to + k] = get(static_cast<i64>(k) * stride[n]);
    }
  }
  /// Adds their States to those of `to`.
  void add(const R& r, u32 count, typename R::State* to) const {
    for (u32 k = 0; k < count; ++k) {
      typename R::State one[R::inputs];
      KG_UNROLL for (int n = 0; n < R::inputs; ++n) one[n] = value[n][k];
      to[k] = r.combine(to[k], r.of(one));
    }
  }
};

template <int N>
struct InnerStrides {
  i64 at[N];
  KG_DEVICE explicit InnerStrides(const Strided<N>& layout) {
    for (int n = 0; n < N; ++n) at[n] = layout.stride[n][0];
  }
};

template <class R, int N>
KG_DEVICE typename R::State reduce_elements(const R& r, const Group&, const i64 (&base)[N],
                                            const Strided<N>& reduced, u32 first, u32 last) {
  using State = typename R::State;
  constexpr u32 lanes = HeldInputs<R>::lanes;
  HeldInputs<R> elements;
  const InnerStrides<N> stride(reduced);
  State total = r.identity(), lane[lanes];
  for (u32 l = 0; l < lanes; ++l) lane[l] = r.identity();
  u32 held = 0, used = 0;
  const auto fold = [&]() KG_INLINE {
    for (u32 half = lanes / 2; half > 0; half /= 2)
      for (u32 l = 0; l < half; ++l) lane[l] = r.combine(lane[l], lane[l + half]);
    total = r.combine(total, lane[0]);
    for (u32 l = 0; l < lanes; ++l) lane[l] = r.identity();
  };
  const auto add = [&]() KG_INLINE {
    elements.add(r, held, lane);
    held = 0;
    if (++used % input_run == 0) fold();
  };
  for (u32 i = first; i < last;) {
    const Position<N> at = locate(reduced, i);
    const u32 left = reduced.dim[0].extent - at.column, count = left < last - i ? left : last - i;
    for (u32 k = 0; k < count;) {
      const u32 some = count - k < lanes - held ? count - k : lanes - held;
      elements.load(
          r, held, some,
          [&](int n) KG_INLINE { return base[n] + at.offset[n] + static_cast<i64>(k) * stride.at[n]; },
          stride.at);
      held += some;
      k += some;
      if (held == lanes) add();
    }
    i += count;
  }
  add();
  fold();
  return total;
}

template <class R, int N, class Put>
KG_DEVICE void reduce_tile(const R& r, const i64 (&base)[N], const Strided<N>& kept,
                           const Strided<N>& reduced, const Part& range, u32 there, u32, Put put) {
  using State = typename R::State;
  constexpr u32 lanes = HeldInputs<R>::lanes;
  HeldInputs<R> elements;
  const InnerStrides<N> stride(kept);
  State total[cpu_lanes], part[cpu_lanes];
  for (u32 e = 0; e < there; ++e) total[e] = r.identity();
  for (u64 row = range.first; row < range.last;) {
    for (u32 e = 0; e < there; ++e) part[e] = r.identity();
    for (u32 run = 0; run < input_run && row < range.last; ++run, ++row) {
      const Position<N> at = locate(reduced, static_cast<u32>(row));
      for (u32 e = 0; e < there; e += lanes) {
        const u32 some = there - e < lanes ? there - e : lanes;
        elements.load(
            r, 0, some,
            [&](int n) KG_INLINE { return base[n] + at.offset[n] + static_cast<i64>(e) * stride.at[n]; },
            stride.at);
        elements.add(r, some, part + e);
      }
    }
    for (u32 e = 0; e < there; ++e) total[e] = r.combine(total[e], part[e]);
  }
  for (u32 e = 0; e < there; ++e) put(e, total[e]);
}

template <class R>
KG_DEVICE u32 tile_of_columns(const R&, u32&) {
  return cpu_lanes;
}

}  // namespace kg::detail
