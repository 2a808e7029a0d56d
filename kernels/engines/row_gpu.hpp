#pragma once
#include "device/convert.hpp"
#include "engines/accumulate_gpu.hpp"
#include "engines/copy_run.hpp"
#include "plan/row.hpp"

namespace kg {
namespace detail {

template <class R, int W, class V>
KG_DEVICE typename R::State state_of(const V* values) {
  typename R::State state[W];
  KG_UNROLL for (int e = 0; e < W; ++e) state[e] = R::of(values[e], 0);
  return combine_tree<R, W>(state);
}

template <class T, int W>
KG_DEVICE void widen_pack(const Pack<T, W>& pack, widened<T>* values) {
  KG_UNROLL for (int e = 0; e < W; ++e) {
    values[e] = widen(pack.get(e));
    separate_fours(e);
  }
}

template <class T, int W, class V, class Op, class... Packs>
KG_DEVICE void store_row_pack(T* y, const V* values, Op op, const Packs&... operands) {
  Pack<T, W> pack{};
  KG_UNROLL for (int e = 0; e < W; ++e) {
    pack.set(e, convert<T>(op(values[e], widen(operands.get(e))...)));
    separate_fours(e);
  }
  store_pack(y, pack);
}

/// Held in the registers of the group.
template <class T, int W>
struct HeldRow {
  using Value = widened<T>;
  static constexpr int packs_each = held_elements(sizeof(Value)) / W;

  Group group;
  u32 packs;  ///< of the row
  Value value[packs_each][W];

  static KG_DEVICE u32 capacity(const Group& group) { return group.size * packs_each * W; }

  KG_DEVICE HeldRow(const Group& group, const T* x, u32 n) : group(group), packs(n / W) {
    Pack<T, W> pack[packs_each] = {};
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (holds(k)) pack[k] = load_pack<W>(x + at(k));
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) widen_pack<T, W>(pack[k], value[k]);
  }

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    typename R::State total = R::identity();
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (holds(k)) total =
        R::combine(total, state_of<R, W>(value[k]));
    return group_reduce(group, total, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
  }

  template <class Op>
  KG_DEVICE HeldRow& map(Op op) {
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (holds(k)) {
      KG_UNROLL for (int e = 0; e < W; ++e) value[k][e] = op(value[k][e]);
    }
    return *this;
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (holds(k))
        store_row_pack<T, W>(y + at(k), value[k], op, load_pack<W>(operands + at(k))...);
  }

 private:
  KG_DEVICE bool holds(u32 k) const { return group.rank + k * group.size < packs; }
  KG_DEVICE u64 at(u32 k) const { return static_cast<u64>(group.rank + k * group.size) * W; }
};

struct Unchanged {
  template <class V>
  KG_DEVICE V operator()(V v) const {
    return v;
  }
};

/// Read again by every step: too long to be held. `First` is what was mapped so far.
template <class T, int W, class First = Unchanged>
struct StreamedRow {
  using Value = widened<T>;

  Group group;
  const T* x;
  u64 packs;
  First first;

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    constexpr u32 run = 256;  // packs after which a thread begins a new partial result
    typename R::State total = R::identity(), partial = R::identity();
    u32 taken = 0;
    KG_NO_UNROLL for (u64 p = group.rank; p < packs; p += group.size) {
      Value value[W];
      load(p, value);
      partial = R::combine(partial, state_of<R, W>(value));
      if (++taken % run == 0) {
        total = R::combine(total, partial);
        partial = R::identity();
      }
    }
    total = R::combine(total, partial);
    return group_reduce(group, total, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
  }

  template <class Op>
  KG_DEVICE auto map(Op op) const {
    const First before = first;
    const auto both = [=](Value v) KG_INLINE { return op(before(v)); };
    return StreamedRow<T, W, decltype(both)>{group, x, packs, both};
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    KG_NO_UNROLL for (u64 p = group.rank; p < packs; p += group.size) {
      Value value[W];
      load(p, value);
      const u64 at = p * W;
      store_row_pack<T, W>(y + at, value, op, load_pack<W>(operands + at)...);
    }
  }

 private:
  KG_DEVICE void load(u64 p, Value* value) const {
    widen_pack<T, W>(load_pack<W>(x + p * W), value);
    KG_UNROLL for (int e = 0; e < W; ++e) value[e] = first(value[e]);
  }
};

}  // namespace detail

/// Rows are taken in packs where x, its rows' pitch n and all of `others` are aligned for them.
template <class T, class Body, class... Other>
KG_DEVICE void with_row(const Group& group, const T* x, u64 n, bool works, const RunStores&, Body body,
                        const Other*... others) {
  constexpr int W = 16 / sizeof(T);
  const u64 length = works ? n : 0;
  if (n % W != 0 || !is_aligned<W>(x) || !(is_aligned<W>(others) && ...))
    body(detail::StreamedRow<T, 1>{group, x, length, {}});
  else if (n > detail::HeldRow<T, W>::capacity(group))
    body(detail::StreamedRow<T, W>{group, x, length / W, {}});
  else
    body(detail::HeldRow<T, W>(group, x, static_cast<u32>(length)));
}

}  // namespace kg
