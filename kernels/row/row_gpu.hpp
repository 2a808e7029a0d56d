#pragma once
#include "device/pack_loop.hpp"
#include "engines/accumulate_gpu.hpp"
#include "engines/copy_span.hpp"
#include "engines/row_source.hpp"
#include "plan/row.hpp"

namespace kg {
namespace detail {

/// No-ops that return false: on GPUs, groups of threads process rows of every length.
template <class Source, class Body>
KG_DEVICE bool for_each_row_per_lane(const Source&, u64, u64, const SpanStores&, Body) {
  return false;
}
template <class Source, class T, class Body, class... Operand>
KG_DEVICE bool map_row_per_lane(const Source&, T*, u64, u64, const SpanStores&, Body, const Operand*...) {
  return false;
}

template <class R, int W, class V>
KG_DEVICE typename R::State state_of(const V* values) {
  typename R::State state[W];
  KG_UNROLL for (int e = 0; e < W; ++e) state[e] = R::of(values[e], 0);
  return combine_tree<R, W>(state);
}

/// W elements of a source as loaded from memory.
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
  constexpr int turn = loop_width<W, T>();
  Pack<T, W> pack{};
  if constexpr (turn < W) {
    Pack<V, W> held{};
    KG_UNROLL for (int e = 0; e < W; ++e) held.set(e, values[e]);
    const auto of = [=](int e, const auto& value, const auto&... others)
                        KG_INLINE { return convert<T>(op(value.get(e), widen(others.get(e))...)); };
    pack = pack_by_loop<T, W, turn>(of, held, operands...);
  } else {
    KG_UNROLL for (int e = 0; e < W; ++e) {
      pack.set(e, convert<T>(op(values[e], widen(operands.get(e))...)));
      separate_fours(e);
    }
  }
  store_pack(y, pack);
}

/// Stores W sums, starting at `element`, if the source keeps them.
template <int W, class Source, class V>
KG_DEVICE void keep(const Source& source, u64 element, const V* values) {
  if constexpr (Source::keeps)
    store_row_pack<typename Source::Element, W>(source.sum + element, values, Unchanged{});
}

/// A thread's elements of a row, for States that are computed from a span better than from single elements.
template <int most, class V>
struct ThreadSpan {
  const V* value;
  u32 count;

  template <class R, class Map>
  KG_DEVICE typename R::State reduce(Map map) const {
    typename R::State state[most];
    const u32 here = optimization_barrier(count);
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
  const ThreadSpan<most, V> run{value, count};
  if constexpr (reduces_runs<R>)
    return R::of_run(run);
  else
    return run.template reduce<R>(Unchanged{});
}

/// The elements of a row outside its packs of W: `head` elements before the first pack, and the tail after
/// the last. Each is processed by a different thread, in a group of at least 2 W threads.
template <class Source, int W>
struct RowEdges {
  using Value = typename Source::Value;
  // Only for 16-bit elements: single 32-bit accesses are fast enough, and for 8-bit elements the edges would
  // take registers that short rows need. Sources that keep sums store them together with their packs.
  static constexpr bool may_be =
      W > 1 && !Source::keeps && row_may_have_edges(sizeof(typename Source::Element));

  u32 head;
  bool is_mine = false;
  Value value{};

  KG_DEVICE RowEdges(const Group& group, const Source& source, u64 n, u32 head)
      : head(head < n ? head : static_cast<u32>(n)) {
    if constexpr (!may_be) return;
    const u64 at = place(group, packs(n));
    is_mine = at < n && (head != 0 || n % W != 0);
    if (is_mine) value = source.at(at);
  }

  KG_DEVICE u64 packs(u64 n) const { return (n - head) / W; }
  KG_DEVICE u64 place(const Group& group, u64 packs) const {
    return group.rank < head ? group.rank : group.rank + packs * W;
  }

  /// Combines `total` with this thread's edge element, if it has one.
  template <class R, class Op>
  KG_DEVICE typename R::State add(typename R::State total, Op op) const {
    if constexpr (may_be) {
      const Value mine[] = {op(value)};
      return R::combine(total, state_of_some<R>(mine, is_mine ? 1 : 0));
    }
    return total;
  }
  template <class T, class Op, class... Operand>
  KG_DEVICE void store(const Group& group, u64 packs, T* y, Op op, const Operand*... operands) const {
    if constexpr (may_be) {
      const u64 at = place(group, packs);
      if (is_mine) y[at] = convert<T>(op(value, widen(operands[at])...));
    }
  }
};

/// A row in the registers of its group, up to packs_each packs per thread. Sums that must be kept are stored
/// as soon as they are computed.
template <class Source>
inline constexpr u32 held_by_thread = held_elements(sizeof(typename Source::Value), Source::is_small);

template <class Source, int W, u32 packs_each = held_by_thread<Source> / W>
struct RegisterRow {
  using Value = typename Source::Value;
  static constexpr bool is_multi_pass = false;

  Group group;
  RowEdges<Source, W> edges;
  u32 packs;  ///< of the row
  Value value[packs_each][W];

  static KG_DEVICE u32 capacity(const Group& group) { return group.size * packs_each * W; }

  KG_DEVICE RegisterRow(const Group& group, const Source& source, u32 n, u32 head)
      : group(group), edges(group, source, n, head), packs(static_cast<u32>(edges.packs(n))) {
    SourcePack<Source, W> pack[packs_each];
    for_each_pack([&](u32 k) KG_INLINE { pack[k].load(source, at(k)); });
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) pack[k].widen_to(value[k]);
    if constexpr (Source::keeps) for_each_pack([&](u32 k) KG_INLINE { keep<W>(source, at(k), value[k]); });
  }

  template <class R, class Map = Unchanged>
  KG_DEVICE typename R::State reduce(Map map = {}) const {
    static_assert(!reduces_runs<R> || same<Map, Unchanged>, "spans reduce the elements themselves");
    const Elements run{*this, count()};
    typename R::State total;
    if constexpr (reduces_runs<R>)
      total = R::of_run(run);
    else
      total = run.template reduce<R>(map);
    total = edges.template add<R>(total, map);
    return group_reduce(group, total, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
  }

  template <class Op>
  KG_DEVICE RegisterRow& map(Op op) {
    edges.value = op(edges.value);
    for_each_pack([&](u32 k)
                      KG_INLINE { KG_UNROLL for (int e = 0; e < W; ++e) value[k][e] = op(value[k][e]); });
    return *this;
  }

  template <class T, class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    for_each_pack([&](u32 k) KG_INLINE {
      store_row_pack<T, W>(y + at(k), value[k], op, load_pack<W>(operands + at(k))...);
    });
    edges.store(group, packs, y, op, operands...);
  }

 private:
  /// A thread's elements as a span.
  struct Elements {
    const RegisterRow& row;
    u32 count;

    template <class R, class Map>
    KG_DEVICE typename R::State reduce(Map map) const {
      typename R::State total = R::identity();
      row.for_each_pack([&](u32 k) KG_INLINE {
        Value mapped[W];
        KG_UNROLL for (int e = 0; e < W; ++e) mapped[e] = map(row.value[k][e]);
        total = R::combine(total, state_of<R, W>(mapped));
      });
      return total;
    }
  };

  KG_DEVICE u32 count() const {
    return group.rank < packs ? ((packs - group.rank - 1) / group.size + 1) * W : 0;
  }
  /// Calls f(k) for each pack of this thread.
  template <class F>
  KG_DEVICE void for_each_pack(F f) const {
    KG_UNROLL for (u32 k = 0; k < packs_each; ++k) {
      if (place(k) < optimization_barrier(packs)) f(k);
      separate_fours(k);
    }
  }
  KG_DEVICE u32 place(u32 k) const {
    // With many elements per thread, indices kept live between operations would need too many registers.
    return group.rank + k * (packs_each * W > few_singles ? optimization_barrier(group.size) : group.size);
  }
  KG_DEVICE u64 at(u32 k) const { return edges.head + static_cast<u64>(place(k)) * W; }
};

/// A row too long for registers: every operation reads it again. Each thread processes packs of W elements
/// with the stride of the group, several in flight; consecutive threads take consecutive packs. `First` is
/// the mapping so far. store() stores kept sums.
template <class Source, int W, class First = Unchanged>
struct MultiPassRow {
  using Value = typename Source::Value;
  static constexpr bool is_multi_pass = true;
  static constexpr bool is_small = Source::is_small;
  // Elements in flight: fewer for two operands of 64 bits, which need twice the registers.
  static constexpr u32 elements = is_small ? 4 : Source::keeps && sizeof(Value) == 8 ? 8 : 16;
  static constexpr u32 together = W == 1 ? is_small ? 4 : 8 : W < elements ? elements / W : 1;

  Group group;
  Source source;
  RowEdges<Source, W> edges;
  u64 packs;
  First first;

  template <class R, class Map = Unchanged>
  KG_DEVICE typename R::State reduce(Map map = {}) const {
    const First before = first;
    const auto both = [=](Value v) KG_INLINE { return map(before(v)); };
    typename R::State total = R::identity();
    KG_NO_UNROLL for (u64 at = group.rank; at < packs; at += u64{together} * group.size) {
      Value value[together * W];
      const u32 count = load(at, value) * W;
      KG_UNROLL for (u32 k = 0; k < together * W; ++k) value[k] = both(value[k]);
      total = R::combine(total, state_of_some<R>(value, count));
    }
    total = edges.template add<R>(total, both);
    return group_reduce(group, total, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
  }

  template <class Op>
  KG_DEVICE auto map(Op op) const {
    const First before = first;
    const auto both = [=](Value v) KG_INLINE { return op(before(v)); };
    return MultiPassRow<Source, W, decltype(both)>{group, source, edges, packs, both};
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
          const u64 place = edges.head + pack * W;
          keep<W>(source, place, mine);
          KG_UNROLL for (int e = 0; e < W; ++e) mine[e] = first(mine[e]);
          store_row_pack<T, W>(y + place, mine, op, load_pack<W>(operands + place)...);
        }
        pack += group.size;
        separate_fours(k);
      }
    }
    edges.store(
        group, packs, y, [=, mapped = first](Value v, auto... w) KG_INLINE { return op(mapped(v), w...); },
        operands...);
  }

 private:
  /// Loads several packs and returns how many exist. Missing ones repeat the first.
  KG_DEVICE u32 load(u64 at, Value (&value)[together * W]) const {
    SourcePack<Source, W> loaded[together];
    u32 count = 0;
    u64 pack = at;
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      loaded[k].load(source, edges.head + (pack < packs ? pack : at) * W);
      count += pack < packs ? 1 : 0;
      pack += group.size;
      separate_fours(k);
    }
    KG_UNROLL for (u32 k = 0; k < together; ++k) loaded[k].widen_to(value + k * W);
    return count;
  }
};

/// Number of elements before the first pack of W that is aligned in the source and in all of `others`; W if
/// there are no such packs. All rows of an operation must agree on whether there are. With more than one of
/// `others` they might not, since some are per row and some are shared.
template <int W, class Source, class... Other>
KG_DEVICE u32 row_head(const Group& group, const Source& source, u64 n, const Other*... others) {
  if (n % W == 0 && SourcePack<Source, W>::serves(source) && (is_aligned<W>(others) && ...)) return 0;
  if constexpr (RowEdges<Source, W>::may_be && sizeof...(others) <= 1) {
    if (n < edged_row_elements) return W;
    constexpr u32 size = sizeof(typename Source::Element);
    const auto before = [](const void* p)
                            KG_INLINE { return static_cast<u32>(-reinterpret_cast<u64>(p) % 16); };
    const u32 bytes = before(source.x);
    const bool lie_alike = ((others == nullptr || (sizeof(Other) == size && before(others) == bytes)) && ...);
    if (group.size >= 2 * W && bytes % size == 0 && lie_alike) return bytes / size;
  }
  return W;
}

template <class Source>
inline constexpr int row_pack_width = 16 / sizeof(typename Source::Element);

}  // namespace detail

/// Rows that every operation reads again.
template <class Source, class Body, class... Other>
KG_DEVICE void with_long_row(const Group& group, const Source& source, u64 n, bool works, const SpanStores&,
                             Body body, const Other*... others) {
  constexpr int W = detail::row_pack_width<Source>;
  const u64 length = works ? n : 0;
  const u32 head = detail::row_head<W>(group, source, n, others...);
  if (head < W) {
    const detail::RowEdges<Source, W> edges(group, source, length, head);
    body(detail::MultiPassRow<Source, W>{group, source, edges, edges.packs(length), {}});
  } else {
    body(detail::MultiPassRow<Source, 1>{group, source, {group, source, length, 0}, length, {}});
  }
}

/// Processes a row in packs if the source and all of `others` are aligned for them, at the first element or,
/// with at most one of `others`, at the same later element. Short rows use a smaller body, which takes less
/// time to fetch.
template <class Source, class Body, class... Other>
KG_DEVICE void with_row(const Group& group, const Source& source, u64 n, bool works, const SpanStores& stores,
                        Body body, const Other*... others) {
  constexpr int W = detail::row_pack_width<Source>;
  constexpr bool is_small = Source::is_small;
  using Packs = detail::RegisterRow<Source, W>;
  using FewPacks = detail::RegisterRow<Source, W, 1>;
  using Singles = detail::RegisterRow<Source, 1, most_singles(is_small)>;
  using FewSingles = detail::RegisterRow<Source, 1, few_singles>;
  const u32 length = works ? static_cast<u32>(n) : 0;
  const u32 head = detail::row_head<W>(group, source, n, others...);
  if (!is_small && head < W && n <= FewPacks::capacity(group))
    body(FewPacks(group, source, length, head));
  else if (head < W && n <= Packs::capacity(group))
    body(Packs(group, source, length, head));
  else if (!is_small && head == W && n <= FewSingles::capacity(group))
    body(FewSingles(group, source, length, 0));
  else if (head == W && n <= Singles::capacity(group))
    body(Singles(group, source, length, 0));
  else
    with_long_row(group, source, n, works, stores, body, others...);
}

}  // namespace kg
