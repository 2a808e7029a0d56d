#pragma once
#include "engines/accumulate_cpu.hpp"
#include "engines/copy_run.hpp"

namespace kg {
namespace detail {

/// Longest row that is held, in a buffer in the first cache.
inline constexpr u32 held_row_capacity = 4096;

/// R over of(0) … of(n - 1).
template <class R, class Of>
KG_DEVICE typename R::State reduce_row(u64 n, Of of) {
  constexpr u64 part =
      u64(1) << 20;  // summed up by itself: a lane's sum of very many terms would lose digits
  typename R::State total = R::identity();
  for (u64 first = 0; first < n;) {
    Lanes<R> lanes;
    const u64 end = n - first < part ? n : first + part;
    for (; first < end; first += lanes.count) {
      const u64 left = end - first;
      lanes.add(static_cast<u32>(left < lanes.count ? left : lanes.count),
                [&](u32 i) KG_INLINE { return of(first + i); });
    }
    total = R::combine(total, lanes.total());
  }
  return total;
}

/// y[i] = of(i), past the caches where `stores` says so.
template <class T, class Of>
KG_DEVICE void store_row(T* y, u64 n, const RunStores& stores, Of of) {
  constexpr int lanes = vector_lanes<T>();
  if (!stores.streamed) {
    KG_VECTORIZE for (u64 i = 0; i < n; ++i) y[i] = of(i);
    return;
  }
  constexpr u32 chunk = 1024;
  alignas(64) T buffer[chunk];
  for (u64 first = 0; first < n; first += chunk) {
    const u64 count = n - first < chunk ? n - first : chunk;
    KG_VECTORIZE for (u64 i = 0; i < count; ++i) buffer[i] = of(first + i);
    stream_run(buffer, y + first, count);
  }
}

/// Mapped by the first step that reads it, into a buffer that later ones read.
template <class T, class Op>
struct MappedRow {
  using Value = widened<T>;

  const T* x;
  u32 n;
  const RunStores& stores;
  Op op;
  bool held = false;
  alignas(64) Value value[held_row_capacity];

  KG_DEVICE MappedRow(const T* x, u32 n, const RunStores& stores, Op op)
      : x(x), n(n), stores(stores), op(op) {}

  template <class R>
  KG_DEVICE typename R::State reduce() {
    if (held) return reduce_row<R>(n, [&](u64 i) KG_INLINE { return R::of(value[i], 0); });
    held = true;
    // Copies, which stores to the buffer clearly leave alone.
    const T* const from = x;
    Value* const to = value;
    return reduce_row<R>(n, [=, mapping = op](u64 i) KG_INLINE {
      const Value mapped = mapping(widen(from[i]));
      to[i] = mapped;
      return R::of(mapped, 0);
    });
  }

  template <class Last, class... Operand>
  KG_DEVICE void store(T* y, Last last, const Operand*... operands) const {
    if (held)
      store_row(y, n, stores,
                [&](u64 i) KG_INLINE { return convert<T>(last(value[i], widen(operands[i])...)); });
    else
      store_row(y, n, stores,
                [&](u64 i) KG_INLINE { return convert<T>(last(op(widen(x[i])), widen(operands[i])...)); });
  }
};

/// In the first cache once it was read.
template <class T>
struct HeldRow {
  using Value = widened<T>;

  const T* x;
  u32 n;
  const RunStores& stores;

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    return reduce_row<R>(n, [&](u64 i) KG_INLINE { return R::of(widen(x[i]), 0); });
  }

  template <class Op>
  KG_DEVICE MappedRow<T, Op> map(Op op) const {
    return {x, n, stores, op};
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    store_row(y, n, stores,
              [&](u64 i) KG_INLINE { return convert<T>(op(widen(x[i]), widen(operands[i])...)); });
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
  u64 n;
  const RunStores& stores;
  First first;

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    return reduce_row<R>(n, [&](u64 i) KG_INLINE { return R::of(first(widen(x[i])), 0); });
  }

  template <class Op>
  KG_DEVICE auto map(Op op) const {
    const First before = first;
    const auto both = [=](Value v) KG_INLINE { return op(before(v)); };
    return StreamedRow<T, decltype(both)>{x, n, stores, both};
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    store_row(y, n, stores,
              [&](u64 i) KG_INLINE { return convert<T>(op(first(widen(x[i])), widen(operands[i])...)); });
  }
};

}  // namespace detail

template <class T, class Body, class... Other>
KG_DEVICE void with_row(const Group&, const T* x, u64 n, bool, const RunStores& stores, Body body,
                        const Other*...) {
  if (n <= detail::held_row_capacity)
    body(detail::HeldRow<T>{x, static_cast<u32>(n), stores});
  else
    body(detail::StreamedRow<T>{x, n, stores, {}});
}

}  // namespace kg
