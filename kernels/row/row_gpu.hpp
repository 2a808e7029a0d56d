#pragma once
/// Rows on GPUs: RegisterRow for those that fit a group's registers, MultiPassRow for longer ones.
#include "engines/copy_span.hpp"
#include "row/row_access_gpu.hpp"

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

/// Elements of a row that a thread holds in registers.
template <class Source>
inline constexpr u32 held_by_thread = held_elements(sizeof(typename Source::Value), Source::is_compact_code);

/// A row in the registers of its group, up to packs_each packs of W elements per thread. The sums of a RowOfSums are stored as
/// soon as they are computed.
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
    if constexpr (Source::stores_sums) {
      for_each_pack([&](u32 k) KG_INLINE { store_sums<W>(source, at(k), value[k]); });
      edges.store_sum(group, packs, source);
    }
  }

  template <class R, class Map = Unchanged>
  KG_DEVICE typename R::State reduce(Map map = {}) const {
    static_assert(!reduces_spans<R> || same<Map, Unchanged>, "spans reduce the elements themselves");
    const Elements span{*this, count()};
    typename R::State total;
    if constexpr (reduces_spans<R>)
      total = R::of_span(span);
    else
      total = span.template reduce<R>(map);
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
    KG_UNROLL for (u32 first = 0; first < packs_each; first += packs_per_store) {
      store_some(first, y, op, OperandPacks<Operand, W, packs_per_store>{operands}...);
    }
    edges.store(group, packs, y, op, operands...);
  }

 private:
  static constexpr u32 packs_per_store = operand_packs<Value, W, packs_each>;

  template <class T, class Op, class... Packs>
  KG_DEVICE void store_some(u32 first, T* y, Op op, Packs... operands) const {
    load_operands<W>(
        edges.head, [&](u32 k) KG_INLINE { return is_used(first + k); },
        [&](u32 k) KG_INLINE { return at(first + k); }, operands...);
    KG_UNROLL for (u32 k = 0; k < packs_per_store; ++k) {
      if (is_used(first + k))
        store_row_pack<T, W>(y + at(first + k), value[first + k], op, operands.pack[k]...);
      sched_barrier_every_4(first + k);
    }
  }

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
      if (is_used(k)) f(k);
      sched_barrier_every_4(k);
    }
  }
  /// Index of this thread's pack k in the row.
  KG_DEVICE u32 pack_index(u32 k) const {
    // With many elements per thread, indices kept live between operations would need too many registers.
    return group.rank +
           k * (packs_each * W > unaligned_row_few_elements ? optimization_barrier(group.size) : group.size);
  }
  KG_DEVICE bool is_used(u32 k) const { return pack_index(k) < optimization_barrier(packs); }
  /// The element that pack k begins with.
  KG_DEVICE u32 at(u32 k) const { return edges.head + pack_index(k) * W; }
};

/// A row too long for registers: every operation reads it again. Each thread processes packs of W elements with the stride of
/// the group, `in_flight` of them at a time; consecutive threads take consecutive packs. `First` is the composition of all
/// map()s so far, which every operation applies first. store() also stores the sums of a RowOfSums.
template <class Source, int W, class First = Unchanged>
struct MultiPassRow {
  using Value = typename Source::Value;
  static constexpr bool is_multi_pass = true;
  static constexpr bool is_compact_code = Source::is_compact_code;
  // Elements in flight: fewer for two operands of 64 bits, which need twice the registers.
  static constexpr u32 elements = is_compact_code ? 4 : Source::stores_sums && sizeof(Value) == 8 ? 8 : 16;
  static constexpr u32 in_flight = W == 1 ? is_compact_code ? 4 : 8 : W < elements ? elements / W : 1;

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
    KG_NO_UNROLL for (u64 at = group.rank; at < packs; at += u64{in_flight} * group.size) {
      Value value[in_flight * W];
      const u32 count = load(at, value) * W;
      KG_UNROLL for (u32 k = 0; k < in_flight * W; ++k) value[k] = both(value[k]);
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
    KG_NO_UNROLL for (u64 at = group.rank; at < packs; at += u64{in_flight} * group.size) {
      Value value[in_flight * W];
      const u32 count = load(at, value);
      KG_UNROLL for (u32 from = 0; from < in_flight; from += packs_per_store) {
        store_some(at, from, count, value, y, op, OperandPacks<Operand, W, packs_per_store>{operands}...);
      }
    }
    edges.store_sum(group, packs, source);
    edges.store(
        group, packs, y, [=, mapped = first](Value v, auto... w) KG_INLINE { return op(mapped(v), w...); },
        operands...);
  }

 private:
  /// The element that a pack begins with.
  KG_DEVICE u64 element(u64 pack) const { return edges.head + pack * W; }

  static constexpr u32 packs_per_store = operand_packs<Value, W, in_flight>;

  /// Stores packs `from` and following of the `count` that load() took at `at`.
  template <class T, class Op, class... Packs>
  KG_DEVICE void store_some(u64 at, u32 from, u32 count, Value (&value)[in_flight * W], T* y, Op op,
                            Packs... operands) const {
    const auto element_at = [&](u32 k) KG_INLINE { return element(at + u64{from + k} * group.size); };
    load_operands<W>(edges.head, [&](u32 k) KG_INLINE { return from + k < count; }, element_at, operands...);
    KG_UNROLL for (u32 k = 0; k < packs_per_store; ++k) {
      if (from + k < count) {
        Value* const mine = value + (from + k) * W;
        store_sums<W>(source, element_at(k), mine);
        KG_UNROLL for (int e = 0; e < W; ++e) mine[e] = first(mine[e]);
        store_row_pack<T, W>(y + element_at(k), mine, op, operands.pack[k]...);
      }
      sched_barrier_every_4(from + k);
    }
  }
  /// Loads pack `at` and those of this thread after it, `in_flight` in all, and returns how many exist. Missing ones repeat
  /// the first, so that loads need no branches.
  KG_DEVICE u32 load(u64 at, Value (&value)[in_flight * W]) const {
    SourcePack<Source, W> loaded[in_flight];
    u32 count = 0;
    u64 pack = at;
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
      loaded[k].load(source, element(pack < packs ? pack : at));
      count += pack < packs ? 1 : 0;
      pack += group.size;
      sched_barrier_every_4(k);
    }
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) loaded[k].widen_to(value + k * W);
    return count;
  }
};

template <class Source>
inline constexpr int row_pack_width = 16 / sizeof(typename Source::Element);

}  // namespace detail

/// with_row() for rows that every operation reads again: too long for registers, or a part of such a row.
template <class Source, class Body, class T>
KG_DEVICE void with_long_row(const Group& group, const Source& source, u64 n, bool works, const SpanStores&,
                             Body body, const T* y) {
  constexpr int W = detail::row_pack_width<Source>;
  const u64 length = works ? n : 0;
  const u32 head = detail::row_head<W>(group, source, n, y);
  if (head < W) {
    const detail::RowEdges<Source, W> edges(group, source, length, head);
    body(detail::MultiPassRow<Source, W>{group, source, edges, edges.packs(length), {}});
  } else {
    body(detail::MultiPassRow<Source, 1>{group, source, {group, source, length, 0}, length, {}});
  }
}

/// Processes a row in packs if its source and y, which may be null, are aligned for them at the same element; otherwise by single
/// elements. Each case is an instance of the body; the shortest rows have separate ones because small code is fetched sooner.
template <class Source, class Body, class T>
KG_DEVICE void with_row(const Group& group, const Source& source, u64 n, bool works, const SpanStores& stores,
                        Body body, const T* y) {
  constexpr int W = detail::row_pack_width<Source>;
  constexpr bool is_compact_code = Source::is_compact_code;
  using Packs = detail::RegisterRow<Source, W>;
  using FewPacks = detail::RegisterRow<Source, W, 1>;
  using Singles = detail::RegisterRow<Source, 1, max_unaligned_elements(is_compact_code)>;
  using FewSingles = detail::RegisterRow<Source, 1, unaligned_row_few_elements>;
  const u32 length = works ? static_cast<u32>(n) : 0;
  const u32 head = detail::row_head<W>(group, source, n, y);
  if (!is_compact_code && head < W && n <= FewPacks::capacity(group))
    body(FewPacks(group, source, length, head));
  else if (head < W && n <= Packs::capacity(group))
    body(Packs(group, source, length, head));
  else if (!is_compact_code && head == W && n <= FewSingles::capacity(group))
    body(FewSingles(group, source, length, 0));
  else if (head == W && n <= Singles::capacity(group))
    body(Singles(group, source, length, 0));
  else
    with_long_row(group, source, n, works, stores, body, y);
}

}  // namespace kg
