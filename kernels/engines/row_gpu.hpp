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

/// A thread's elements of a row, for States that do with a run of elements better than with one after another.
template <int most, class V>
struct ThreadRun {
  const V* value;
  u32 count;

  template <class R, class Map>
  KG_DEVICE typename R::State reduce(Map map) const {
    typename R::State state[most];
    const u32 here = known_from_here(count);
    KG_UNROLL for (u32 k = 0; k < most; ++k) {
      state[k] = k < here ? R::of(map(value[k]), 0) : R::identity();
      separate_fours(k);
    }
    return combine_tree<R, most>(state);
  }
};

/// The State of the first `count` values.
template <class R, int most, class V>
KG_DEVICE typename R::State state_of_some(const V (&value)[most], u32 count) {
  const ThreadRun<most, V> run{value, count};
  if constexpr (reduces_runs<R>)
    return R::of_run(run);
  else
    return run.template reduce<R>(Unchanged{});
}

/// Held in the registers of the group; what is kept is kept as soon as it is there.
template <class Source, int W>
struct HeldRow {
  using Value = typename Source::Value;
  static constexpr bool is_read_again = false;
  // Single elements take an access each: more threads hold fewer of them.
  static constexpr int packs_each = W == 1 ? single_elements : held_elements(sizeof(Value)) / W;

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
    const Elements run{*this, count()};
    typename R::State total;
    if constexpr (reduces_runs<R>)
      total = R::of_run(run);
    else
      total = run.template reduce<R>(Unchanged{});
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
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) {
      if (holds(k)) store_row_pack<T, W>(y + at(k), value[k], op, load_pack<W>(operands + at(k))...);
      separate_fours(k);
    }
  }

 private:
  /// A thread's, as a run.
  struct Elements {
    const HeldRow& row;
    u32 count;

    template <class R, class Map>
    KG_DEVICE typename R::State reduce(Map map) const {
      typename R::State total = R::identity();
      KG_UNROLL for (u32 k = 0; k < packs_each; ++k) if (row.holds(k)) {
        Value mapped[W];
        KG_UNROLL for (int e = 0; e < W; ++e) mapped[e] = map(row.value[k][e]);
        total = R::combine(total, state_of<R, W>(mapped));
      }
      return total;
    }
  };

  KG_DEVICE u32 count() const {
    return group.rank < packs ? ((packs - group.rank - 1) / group.size + 1) * W : 0;
  }
  /// Asked anew each time: the answers of one step kept for the next would fill the scalar registers.
  KG_DEVICE bool holds(u32 k) const { return group.rank + k * group.size < known_from_here(packs); }
  KG_DEVICE u64 at(u32 k) const { return static_cast<u64>(group.rank + k * group.size) * W; }
};

/// Read again by every step: too long to be held. Each thread takes packs of W elements that lie a group apart, several
/// under way at a time; neighbours take neighbours. `First` is what was mapped so far. What is kept is kept by the store.
template <class Source, int W, class First = Unchanged>
struct StreamedRow {
  using Value = typename Source::Value;
  static constexpr bool is_read_again = true;
  // Packs: of two operands of 64 bits fewer, as they take twice the registers.
  static constexpr u32 elements = Source::keeps && sizeof(Value) == 8 ? 8 : 16;
  static constexpr u32 together = W == 1 ? 8 : W < elements ? elements / W : 1;

  Group group;
  Source source;
  u64 packs;
  First first;

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    typename R::State total = R::identity();
    KG_NO_UNROLL for (u64 at = group.rank; at < packs; at += u64{together} * group.size) {
      Value value[together * W];
      const u32 count = load(at, value) * W;
      KG_UNROLL for (u32 k = 0; k < together * W; ++k) value[k] = first(value[k]);
      total = R::combine(total, state_of_some<R>(value, count));
    }
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
    KG_NO_UNROLL for (u64 at = group.rank; at < packs; at += u64{together} * group.size) {
      Value value[together * W];
      const u32 count = load(at, value);
      u64 pack = at;
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        if (k < count) {
          Value* const mine = value + k * W;
          keep<W>(source, pack * W, mine);
          KG_UNROLL for (int e = 0; e < W; ++e) mine[e] = first(mine[e]);
          store_row_pack<T, W>(y + pack * W, mine, op, load_pack<W>(operands + pack * W)...);
        }
        pack += group.size;
        separate_fours(k);
      }
    }
  }

 private:
  /// Gives how many packs there are; the first stands in for others.
  KG_DEVICE u32 load(u64 at, Value (&value)[together * W]) const {
    SourcePack<Source, W> loaded[together];
    u32 count = 0;
    u64 pack = at;
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      loaded[k].load(source, (pack < packs ? pack : at) * W);
      count += pack < packs ? 1 : 0;
      pack += group.size;
      separate_fours(k);
    }
    KG_UNROLL for (u32 k = 0; k < together; ++k) loaded[k].widen_to(value + k * W);
    return count;
  }
};

/// Whether n elements are whole packs of W in the source and in all of `others`.
template <int W, class Source, class... Other>
KG_DEVICE bool are_packs(const Source& source, u64 n, const Other*... others) {
  return n % W == 0 && SourcePack<Source, W>::serves(source) && (is_aligned<W>(others) && ...);
}

template <class Source>
inline constexpr int row_pack_width = 16 / sizeof(typename Source::Element);

}  // namespace detail

/// Rows that are read again by every step.
template <class Source, class Body, class... Other>
KG_DEVICE void with_long_row(const Group& group, const Source& source, u64 n, bool works, const RunStores&,
                             Body body, const Other*... others) {
  constexpr int W = detail::row_pack_width<Source>;
  const u64 length = works ? n : 0;
  if (detail::are_packs<W>(source, n, others...))
    body(detail::StreamedRow<Source, W>{group, source, length / W, {}});
  else
    body(detail::StreamedRow<Source, 1>{group, source, length, {}});
}

/// Rows are taken in packs where the source, its rows' pitch n and all of `others` are aligned for them.
template <class Source, class Body, class... Other>
KG_DEVICE void with_row(const Group& group, const Source& source, u64 n, bool works, const RunStores& stores,
                        Body body, const Other*... others) {
  constexpr int W = detail::row_pack_width<Source>;
  using Packs = detail::HeldRow<Source, W>;
  using Singles = detail::HeldRow<Source, 1>;
  const u32 length = works ? static_cast<u32>(n) : 0;
  const bool aligned = detail::are_packs<W>(source, n, others...);
  if (aligned && n <= Packs::capacity(group))
    body(Packs(group, source, length));
  else if (!aligned && n <= Singles::capacity(group))
    body(Singles(group, source, length));
  else
    with_long_row(group, source, n, works, stores, body, others...);
}

}  // namespace kg
