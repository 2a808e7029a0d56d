#pragma once
#include "engines/accumulate_gpu.hpp"
#include "engines/copy_run.hpp"
#include "engines/row_source.hpp"
#include "plan/row.hpp"

namespace kg {
namespace detail {

template <class R, int W, class V>
KG_DEVICE typename R::State state_of(const V* values) {
  typename R::State state[W];
  KG_UNROLL for (int e = 0; e < W; ++e) state[e] = R::of(values[e], 0);
  return combine_tree<R, W>(state);
}

/// W elements of a source as they come from memory.
template <class Source, int W>
struct SourcePack;

template <class T, int W>
struct SourcePack<RowOf<T>, W> {
  Pack<T, W> pack{};

  static KG_DEVICE bool serves(const RowOf<T>& source) { return is_aligned<W>(source.x); }
  KG_DEVICE void load(const RowOf<T>& source, u64 element) { pack = load_pack<W>(source.x + element); }
  KG_DEVICE void widen_to(widened<T>* values) const {
    KG_UNROLL for (int e = 0; e < W; ++e) {
      values[e] = widen(pack.get(e));
      separate_fours(e);
    }
  }
};

template <class T, int W>
struct SourcePack<RowOfSums<T>, W> {
  SourcePack<RowOf<T>, W> a, b;

  static KG_DEVICE bool serves(const RowOfSums<T>& source) {
    return is_aligned<W>(source.a) && is_aligned<W>(source.b) && is_aligned<W>(source.sum);
  }
  KG_DEVICE void load(const RowOfSums<T>& source, u64 element) {
    a.load({source.a}, element);
    b.load({source.b}, element);
  }
  KG_DEVICE void widen_to(widened<T>* values) const {
    widened<T> others[W];
    a.widen_to(values);
    b.widen_to(others);
    KG_UNROLL for (int e = 0; e < W; ++e) values[e] += others[e];
  }
};

template <class T, int W, class V, class Op, class... Packs>
KG_DEVICE void store_row_pack(T* y, const V* values, Op op, const Packs&... operands) {
  Pack<T, W> pack{};
  KG_UNROLL for (int e = 0; e < W; ++e) {
    pack.set(e, convert<T>(op(values[e], widen(operands.get(e))...)));
    separate_fours(e);
  }
  store_pack(y, pack);
}

/// Keeps W elements, those from `element` on.
template <int W, class Source, class V>
KG_DEVICE void keep(const Source& source, u64 element, const V* values) {
  if constexpr (Source::keeps)
    store_row_pack<typename Source::Element, W>(source.sum + element, values, Unchanged{});
}

/// Held in the registers of the group; what is kept is kept as soon as it is there.
template <class Source, int W>
struct HeldRow {
  using Value = typename Source::Value;
  static constexpr int packs_each = held_elements(sizeof(Value)) / W;

  Group group;
  u32 packs;  ///< of the row
  Value value[packs_each][W];

  static KG_DEVICE u32 capacity(const Group& group) { return group.size * packs_each * W; }

  KG_DEVICE HeldRow(const Group& group, const Source& source, u32 n) : group(group), packs(n / W) {
    SourcePack<Source, W> pack[packs_each];
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (holds(k)) pack[k].load(source, at(k));
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) pack[k].widen_to(value[k]);
    if constexpr (Source::keeps) {
      KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (holds(k)) keep<W>(source, at(k), value[k]);
    }
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

  template <class T, class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (holds(k))
        store_row_pack<T, W>(y + at(k), value[k], op, load_pack<W>(operands + at(k))...);
  }

 private:
  KG_DEVICE bool holds(u32 k) const { return group.rank + k * group.size < packs; }
  KG_DEVICE u64 at(u32 k) const { return static_cast<u64>(group.rank + k * group.size) * W; }
};

/// Read again by every step: too long to be held. `First` is what was mapped so far. What is kept is kept by the
/// store.
template <class Source, int W, class First = Unchanged>
struct StreamedRow {
  using Value = typename Source::Value;

  Group group;
  Source source;
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
      map_first(value);
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
    return StreamedRow<Source, W, decltype(both)>{group, source, packs, both};
  }

  template <class T, class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    KG_NO_UNROLL for (u64 p = group.rank; p < packs; p += group.size) {
      Value value[W];
      load(p, value);
      const u64 at = p * W;
      keep<W>(source, at, value);
      map_first(value);
      store_row_pack<T, W>(y + at, value, op, load_pack<W>(operands + at)...);
    }
  }

 private:
  KG_DEVICE void load(u64 p, Value* value) const {
    SourcePack<Source, W> pack;
    pack.load(source, p * W);
    pack.widen_to(value);
  }
  KG_DEVICE void map_first(Value* value) const {
    KG_UNROLL for (int e = 0; e < W; ++e) value[e] = first(value[e]);
  }
};

}  // namespace detail

/// Rows are taken in packs where the source, its rows' pitch n and all of `others` are aligned for them.
template <class Source, class Body, class... Other>
KG_DEVICE void with_row(const Group& group, const Source& source, u64 n, bool works, const RunStores&,
                        Body body, const Other*... others) {
  constexpr int W = 16 / sizeof(typename Source::Element);
  const u64 length = works ? n : 0;
  if (n % W != 0 || !detail::SourcePack<Source, W>::serves(source) || !(is_aligned<W>(others) && ...))
    body(detail::StreamedRow<Source, 1>{group, source, length, {}});
  else if (n > detail::HeldRow<Source, W>::capacity(group))
    body(detail::StreamedRow<Source, W>{group, source, length / W, {}});
  else
    body(detail::HeldRow<Source, W>(group, source, static_cast<u32>(length)));
}

}  // namespace kg
