#pragma once
/// How the threads of a group read and write a row: in aligned packs of 16 bytes, and the elements before the first and after the
/// last pack (the edges) one by one.
#include "device/pack_loop.hpp"
#include "engines/accumulate_gpu.hpp"
#include "engines/row_source.hpp"
#include "plan/row.hpp"

namespace kg {
namespace detail {

/// The State of W values.
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

  KG_DEVICE void load(const RowOf<T>& source, u64 element) { pack = load_pack<W>(source.x + element); }
  KG_DEVICE void widen_to(widened<T>* values) const {
    KG_UNROLL for (int e = 0; e < W; ++e) {
      values[e] = widen(pack.get(e));
      sched_barrier_every_4(e);
    }
  }
};

template <class T, int W>
struct SourcePack<RowOfSums<T>, W> {
  SourcePack<RowOf<T>, W> a, b;

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

/// Stores a pack of op(value, elements of the operands…), rounded to T; for compact types in a loop (device/pack_loop.hpp).
template <class T, int W, class V, class Op, class... Packs>
KG_DEVICE void store_row_pack(T* y, const V* values, Op op, const Packs&... operands) {
  constexpr int loop_elements = loop_width<W, T>();
  Pack<T, W> pack{};
  if constexpr (loop_elements < W) {
    Pack<V, W> held{};
    KG_UNROLL for (int e = 0; e < W; ++e) held.set(e, values[e]);
    const auto of = [=](int e, const auto& value, const auto&... others)
                        KG_INLINE { return convert<T>(op(value.get(e), widen(others.get(e))...)); };
    pack = pack_by_loop<T, W, loop_elements>(of, held, operands...);
  } else {
    KG_UNROLL for (int e = 0; e < W; ++e) {
      pack.set(e, convert<T>(op(values[e], widen(operands.get(e))...)));
      sched_barrier_every_4(e);
    }
  }
  store_pack(y, pack);
}

/// Stores W sums, starting at `element`, if the source is a RowOfSums.
template <int W, class Source, class V>
KG_DEVICE void store_sums(const Source& source, u64 element, const V* values) {
  if constexpr (Source::stores_sums)
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
      sched_barrier_every_4(k);
    }
    return combine_tree<R, most>(state);
  }
};

/// The State of the first `count` values.
template <class R, int most, class V>
KG_DEVICE typename R::State state_of_some(const V (&value)[most], u32 count) {
  const ThreadSpan<most, V> span{value, count};
  if constexpr (reduces_spans<R>)
    return R::of_span(span);
  else
    return span.template reduce<R>(Unchanged{});
}

/// Bytes from the addresses of all operands of a source to the next 16-byte boundary; 16 if these differ.
template <class Source>
KG_DEVICE u32 bytes_to_pack(const Source& source) {
  if constexpr (Source::stores_sums) {
    const u32 bytes = bytes_to_alignment<16>(source.a);
    const bool are_alike =
        bytes == bytes_to_alignment<16>(source.b) && bytes == bytes_to_alignment<16>(source.sum);
    return are_alike ? bytes : 16;
  } else {
    return bytes_to_alignment<16>(source.x);
  }
}

/// The elements of a row outside its packs of W: `head` elements before the first pack, and the tail after
/// the last. Each is processed by a different thread, in a group of at least 2 W threads.
template <class Source, int W>
struct RowEdges {
  using Value = typename Source::Value;
  static constexpr bool has_edges = W > 1 && row_may_have_edges(sizeof(typename Source::Element));

  u32 head;
  bool is_mine = false;  ///< whether this thread has an edge element
  Value value{};         ///< that element

  KG_DEVICE RowEdges(const Group& group, const Source& source, u64 n, u32 head)
      : head(head < n ? head : static_cast<u32>(n)) {
    if constexpr (!has_edges) return;
    const u64 at = index(group, packs(n));
    is_mine = at < n;
    if (is_mine) value = source.at(at);
  }

  /// Packs of a row of n elements.
  KG_DEVICE u64 packs(u64 n) const { return (n - head) / W; }
  /// This thread's edge element; n or more if it has none.
  KG_DEVICE u64 index(const Group& group, u64 packs) const {
    return group.rank < head ? group.rank : group.rank + packs * W;
  }

  /// Combines `total` with this thread's edge element, if it has one.
  template <class R, class Op>
  KG_DEVICE typename R::State add(typename R::State total, Op op) const {
    if constexpr (has_edges) {
      const Value mine[] = {op(value)};
      return R::combine(total, state_of_some<R>(mine, is_mine ? 1 : 0));
    }
    return total;
  }
  /// Stores this thread's sum, if it has an edge element and the source is a RowOfSums.
  KG_DEVICE void store_sum(const Group& group, u64 packs, const Source& source) const {
    if constexpr (has_edges && Source::stores_sums)
      if (is_mine) source.sum[index(group, packs)] = convert<typename Source::Element>(value);
  }
  template <class T, class Op, class... Operand>
  KG_DEVICE void store(const Group& group, u64 packs, T* y, Op op, const Operand*... operands) const {
    if constexpr (has_edges) {
      const u64 at = index(group, packs);
      if (is_mine) y[at] = convert<T>(op(value, widen(operands[at])...));
    }
  }
};

/// Number of elements before the first pack of W that is aligned in the source and in y, which may be null. W means that the row
/// is read by single elements: no pack is aligned in both, or the row is too short for edges to pay off.
template <int W, class Source, class T>
KG_DEVICE u32 row_head(const Group& group, const Source& source, u64 n, const T* y) {
  constexpr u32 size = sizeof(typename Source::Element);
  const u32 bytes = bytes_to_pack(source);
  const bool is_alike = bytes < 16 && (y == nullptr || bytes_to_alignment<16>(y) == bytes);
  if (bytes == 0 && is_alike && n % W == 0) return 0;
  if (RowEdges<Source, W>::has_edges && (y == nullptr || sizeof(T) == size) &&
      n >= edged_row_elements(size) && group.size >= 2 * W && bytes % size == 0 && is_alike)
    return bytes / size;
  return W;
}

/// Packs of an operand that are loaded together: two hide most of the latency, more take too many registers.
template <class Value, int W, u32 packs>
inline constexpr u32 operand_packs = W == 1                                 ? 4
                                     : sizeof(Value) == 4 && packs % 2 == 0 ? 2
                                                                            : 1;

/// A thread's packs of an operand of the last step, from any address.
template <class T, int W, u32 count>
struct OperandPacks {
  const T* x;
  Pack<T, W> pack[count] = {};

  /// is_used(k) tells whether the thread has pack k, which begins at element at(k).
  template <bool is_aligned, class IsUsed, class At>
  KG_DEVICE void load(IsUsed is_used, At at) {
    KG_UNROLL for (u32 k = 0; k < count; ++k) {
      if (is_used(k)) pack[k] = is_aligned ? load_pack<W>(x + at(k)) : load_pack_split<W>(x + at(k));
      sched_barrier_every_4(k);
    }
  }
};

/// Loads the packs of all operands. A row's packs begin at element `head` and multiples of W after it. Called before the stores:
/// results may alias operands, so the compiler would not move a load before an earlier store.
template <int W, class IsUsed, class At, class... T, u32... count>
KG_DEVICE void load_operands(u64 head, IsUsed is_used, At at, OperandPacks<T, W, count>&... operands) {
  if (W == 1 || (is_aligned<W>(operands.x + head) && ...))
    (operands.template load<true>(is_used, at), ...);
  else
    (operands.template load<false>(is_used, at), ...);
}

}  // namespace detail
}  // namespace kg
