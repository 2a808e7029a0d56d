#pragma once
#include "device/accumulate_cpu.hpp"

namespace kg {
namespace detail {

/// Held in a buffer in the first cache.
template <class T>
struct HeldRow {
  using Value = widened<T>;
  static constexpr u32 capacity = 4096;

  u32 n;
  Value value[capacity];

  KG_DEVICE HeldRow(const T* x, u32 n) : n(n) {
    constexpr int lanes = vector_lanes<T>();
    KG_VECTORIZE for (u32 i = 0; i < n; ++i) value[i] = widen(x[i]);
  }

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    Lanes<R> lanes;
    for (u32 i = 0; i < n; i += lanes.count)
      lanes.add(n - i < lanes.count ? n - i : lanes.count,
                [&](u32 k) KG_INLINE { return R::of(value[i + k], 0); });
    return lanes.total();
  }

  template <class Op>
  KG_DEVICE HeldRow& map(Op op) {
    constexpr int lanes = vector_lanes<T>();
    KG_VECTORIZE for (u32 i = 0; i < n; ++i) value[i] = op(value[i]);
    return *this;
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    constexpr int lanes = vector_lanes<T>();
    KG_VECTORIZE for (u32 i = 0; i < n; ++i) y[i] = convert<T>(op(value[i], widen(operands[i])...));
  }
};

struct Unchanged {
  template <class V>
  KG_DEVICE V operator()(V v) const {
    return v;
  }
};

/// Read again by every step: too long to be held. `First` is what was mapped so far.
template <class T, class First = Unchanged>
struct StreamedRow {
  using Value = widened<T>;

  const T* x;
  u32 n;
  First first;

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    Lanes<R> lanes;
    for (u32 i = 0; i < n; i += lanes.count)
      lanes.add(n - i < lanes.count ? n - i : lanes.count,
                [&](u32 k) KG_INLINE { return R::of(first(widen(x[i + k])), 0); });
    return lanes.total();
  }

  template <class Op>
  KG_DEVICE auto map(Op op) const {
    const First before = first;
    const auto both = [=](Value v) KG_INLINE { return op(before(v)); };
    return StreamedRow<T, decltype(both)>{x, n, both};
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    constexpr int lanes = vector_lanes<T>();
    KG_VECTORIZE for (u32 i = 0; i < n; ++i) y[i] = convert<T>(op(first(widen(x[i])), widen(operands[i])...));
  }
};

}  // namespace detail

template <class T, class Body, class... Other>
KG_DEVICE void with_row(const Group&, const T* x, u32 n, bool, Body body, const Other*...) {
  if (n <= detail::HeldRow<T>::capacity)
    body(detail::HeldRow<T>(x, n));
  else
    body(detail::StreamedRow<T>{x, n, {}});
}

}  // namespace kg
