#pragma once
/// Rows on CPUs, each processed by one thread: CachedRow and BufferedRow for those that fit L1, MultiPassRow for longer ones.
#include "engines/accumulate_cpu.hpp"
#include "engines/copy_span.hpp"
#include "engines/row_per_lane_cpu.hpp"
#include "engines/row_source.hpp"
#include "engines/spans.hpp"
#include "engines/store_row_cpu.hpp"

namespace kg {
namespace detail {

/// Elements of the longest row that is buffered; the buffer fits L1.
inline constexpr u32 held_row_capacity = 4096;

template <class R, bool holds_spans = false, class At>
KG_DEVICE typename R::State reduce_row(u64 n, At at);

/// `count` elements of a row, starting at `first`.
template <class At>
struct RowSpan {
  u64 first, count;
  At at;

  template <class R, class Map>
  KG_DEVICE typename R::State reduce(Map map) const {
    return reduce_row<R>(
        count, [=, begin = first, element = at](u64 i) KG_INLINE { return map(element(begin + i)); });
  }
};

/// Reduces at(0) … at(n - 1) by R, span by span if R reduces spans (reduces_spans). R reads a span several times: `holds_spans`
/// copies it to a buffer first, for elements that take longer to widen than to read from there.
template <class R, bool holds_spans, class At>
KG_DEVICE typename R::State reduce_row(u64 n, At at) {
  typename R::State total = R::identity();
  if constexpr (reduces_spans<R> && holds_spans) {
    using Value = decltype(at(0));
    constexpr int lanes = vector_bytes / sizeof(Value);
    alignas(64) Value held[held_row_capacity];
    const auto element = [span = static_cast<const Value*>(held)](u64 i) KG_INLINE { return span[i]; };
    for (u64 first = 0; first < n; first += held_row_capacity) {
      const u64 count = n - first < held_row_capacity ? n - first : held_row_capacity;
      KG_VECTORIZE for (u64 i = 0; i < count; ++i) held[i] = at(first + i);
      total = R::combine(total, R::of_span(RowSpan<decltype(element)>{0, count, element}));
    }
  } else if constexpr (reduces_spans<R>) {
    for (u64 first = 0; first < n; first += held_row_capacity) {
      const u64 left = n - first;
      total = R::combine(
          total, R::of_span(RowSpan<At>{first, left < held_row_capacity ? left : held_row_capacity, at}));
    }
  } else {
    // Each part is summed separately: a lane's sum of very many terms would lose digits.
    constexpr u64 part = u64(1) << 20;
    const u32 width = lanes_of_row<R>(n);
    for (u64 first = 0; first < n;) {
      Lanes<R> lanes;
      const u64 end = n - first < part ? n : first + part;
      for (; first < end; first += width) {
        const u64 left = end - first;
        lanes.add(static_cast<u32>(left < width ? left : width),
                  [&](u32 i) KG_INLINE { return R::of(at(first + i), 0); });
      }
      total = R::combine(total, lanes.total());
    }
  }
  return total;
}

/// A row in a buffer. The sums of a RowOfSums are stored as soon as they are computed.
template <u32 capacity, class Source>
struct BufferedRow {
  static constexpr bool is_multi_pass = false;
  using Value = typename Source::Value;
  using T = typename Source::Element;

  u32 n;
  const SpanStores& stores;
  alignas(64) Value value[capacity];

  KG_DEVICE BufferedRow(u32 n, const SpanStores& stores) : n(n), stores(stores) {}

  KG_DEVICE void read(const Source& source) {
    constexpr int lanes = vector_lanes<T>();
    for_each_lane<lanes>(0, n, [&](u64 i) KG_INLINE { value[i] = source.at(i); });
    if constexpr (Source::stores_sums)
      store_row(source.sum, n, stores, [&](u64 i) KG_INLINE { return convert<T>(value[i]); });
  }

  template <class R, class Map = Unchanged>
  KG_DEVICE typename R::State reduce(Map map = {}) const {
    return reduce_row<R>(n, [&](u64 i) KG_INLINE { return map(value[i]); });
  }

  template <class Op>
  KG_DEVICE BufferedRow& map(Op op) {
    constexpr int lanes = vector_lanes<T>();
    for_each_lane<lanes>(0, n, [&](u64 i) KG_INLINE { value[i] = op(value[i]); });
    return *this;
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    store_row(y, n, stores, [&](u64 i) KG_INLINE { return convert<T>(op(value[i], widen(operands[i])...)); });
  }
};

/// A row mapped by the first operation that reads it, into a buffer that later operations read.
template <class Source, class Op>
struct MappedRow : BufferedRow<held_row_capacity, Source> {
  using Base = BufferedRow<held_row_capacity, Source>;
  using typename Base::Value;
  using T = typename Source::Element;

  const Source source;
  Op op;
  bool held = false;

  KG_DEVICE MappedRow(const Source& source, u32 n, const SpanStores& stores, Op op)
      : Base(n, stores), source(source), op(op) {}

  template <class R, class Map = Unchanged>
  KG_DEVICE typename R::State reduce(Map map = {}) {
    if (held) return Base::template reduce<R>(map);
    held = true;
    // Local copies, so that the compiler sees that stores to the buffer do not change them.
    Value* const to = this->value;
    return reduce_row<R>(this->n, [=, from = source, mapping = op](u64 i) KG_INLINE {
      const Value mapped = mapping(from.at(i));
      to[i] = mapped;
      return map(mapped);
    });
  }

  template <class Last, class... Operand>
  KG_DEVICE void store(T* y, Last last, const Operand*... operands) const {
    if (held)
      Base::store(y, last, operands...);
    else
      store_row(y, this->n, this->stores,
                [&](u64 i) KG_INLINE { return convert<T>(last(op(source.at(i)), widen(operands[i])...)); });
  }
};

/// A row that stays in L1 after the first read.
template <class Source>
struct CachedRow {
  static constexpr bool is_multi_pass = false;
  using T = typename Source::Element;

  const Source source;
  u32 n;
  const SpanStores& stores;

  template <class R, class Map = Unchanged>
  KG_DEVICE typename R::State reduce(Map map = {}) const {
    return reduce_row<R>(n, [&](u64 i) KG_INLINE { return map(source.at(i)); });
  }

  template <class Op>
  KG_DEVICE MappedRow<Source, Op> map(Op op) const {
    return {source, n, stores, op};
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    store_row(y, n, stores,
              [&](u64 i) KG_INLINE { return convert<T>(op(source.at(i), widen(operands[i])...)); });
  }
};

/// A row too long to buffer: every operation reads it again. `First` is the composition of all map()s so far, which every
/// operation applies first. store() also stores the sums of a RowOfSums.
template <class Source, class First = Unchanged>
struct MultiPassRow {
  static constexpr bool is_multi_pass = true;
  using Value = typename Source::Value;
  using T = typename Source::Element;

  const Source source;
  u64 n;
  const SpanStores& stores;
  First first;

  template <class R, class Map = Unchanged>
  KG_DEVICE typename R::State reduce(Map map = {}) const {
    // bf16 is widened by a shift, which costs no more than reading the copy.
    constexpr bool holds_spans = is_narrow_float<T> && !same<T, bf16>;
    return reduce_row<R, holds_spans>(n, [&](u64 i) KG_INLINE { return map(first(source.at(i))); });
  }

  template <class Op>
  KG_DEVICE auto map(Op op) const {
    const First before = first;
    const auto both = [=](Value v) KG_INLINE { return op(before(v)); };
    return MultiPassRow<Source, decltype(both)>{source, n, stores, both};
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    if constexpr (Source::stores_sums) {
      // Through a buffer, because the results may alias the source: a span's sums are read before its results are stored.
      constexpr u32 part = 1024;
      for (u64 begin = 0; begin < n; begin += part) {
        BufferedRow<part, Source> row(static_cast<u32>(n - begin < part ? n - begin : part), stores);
        row.read(source.from(begin));
        row.map(first);
        row.store(y + begin, op, operands + begin...);
      }
    } else {
      store_row(y, n, stores,
                [&](u64 i) KG_INLINE { return convert<T>(op(first(source.at(i)), widen(operands[i])...)); });
    }
  }
};

}  // namespace detail

/// with_row() for rows that every operation reads again: too long to buffer, or a part of such a row.
template <class Source, class Body, class T>
KG_DEVICE void with_long_row(const Group&, const Source& source, u64 n, bool, const SpanStores& stores,
                             Body body, const T*) {
  body(detail::MultiPassRow<Source>{source, n, stores, {}});
}

template <class Source, class Body, class T>
KG_DEVICE void with_row(const Group& group, const Source& source, u64 n, bool works, const SpanStores& stores,
                        Body body, const T* y) {
  if (n > detail::held_row_capacity) {
    with_long_row(group, source, n, works, stores, body, y);
  } else if constexpr (Source::stores_sums) {
    detail::BufferedRow<detail::held_row_capacity, Source> row(static_cast<u32>(n), stores);
    row.read(source);
    body(row);
  } else {
    body(detail::CachedRow<Source>{source, static_cast<u32>(n), stores});
  }
}

/// Calls body(row, row index, true, destination of the row's results) for each of `rows` rows of n elements. y has one element
/// per source element or is null. On a GPU the third argument tells the first thread of a row (row_tile_gpu.hpp).
template <class Source, class Body, class T>
KG_DEVICE void for_each_row(const Source& source, u64 rows, u64 n, u32, const SpanStores& stores, Body body,
                            T* y) {
  for_each_span(rows, 1, [&](u64 number, u64) KG_INLINE {
    T* const target = y == nullptr ? nullptr : y + number * n;
    with_row(
        Group(1), source.from(number * n), n, true, stores,
        [&](auto&& row) KG_INLINE { body(row, number, true, target); }, target);
  });
}

}  // namespace kg
