#pragma once
/// A row of contiguous elements, processed by a group of threads in the compute type, in as few passes over memory as its
/// length allows. Its elements come from one operand or from a sum of two (engines/row_source.hpp). Bodies use the same code for
/// every length:
///
///   with_row(group, source, n, works, stores, [&](auto&& row) {
///     const auto m = row.template reduce<Max<...>>();      every thread of the group gets the result;
///                                                          reduce<...>(f) reduces f(v) of each element v
///     auto&& e = row.map([=](auto v) { return ...; });     in registers, or applied again in each pass
///     e.store(y, [=](auto v, auto w) { return ...; }, weights);      exactly once, as the last operation
///   }, y);         y and weights may have any alignment; fastest if y is aligned as the source
///
/// All threads of a block must call with_row() with the same n, of up to 2^63 elements: it contains barriers. Groups without a
/// row pass works = false. `stores` says whether a CPU bypasses its caches (engines/copy_span.hpp).
#include "device/dialect.hpp"
#include "engines/spans.hpp"
#include "plan/row.hpp"

#if KG_GPU
#include "row/row_tile_gpu.hpp"
#else
#include "row/row_cpu.hpp"
#endif

namespace kg {

/// An operand of the last step. Its row r begins at x + r · step, in elements; a step of 0 is one row for all.
template <class T>
struct RowOperand {
  const T* x;
  u64 step;
};

/// Calls body(row, y's row, the operands' rows…) for each of `rows` rows of n elements. Source and y are [rows, n], contiguous.
/// group_size is the number of threads per row, or 0 to stage rows in shared memory; CPUs ignore it. If Body::has_lanes, a CPU
/// may pass a `row` of Simd values, which is several short rows at once, one per lane (engines/row_per_lane_cpu.hpp).
template <class Source, class T, class Body, class... Operand>
KG_DEVICE void map_rows(const Source& source, T* y, u64 rows, u64 n, u32 group_size, const Body& body,
                        const RowOperand<Operand>&... operands) {
  // In place: the lines are in the caches anyway, so stores are not streamed.
  const SpanStores stores(source.aliases(y) ? 0 : rows * n * sizeof(T));
  if constexpr (Body::has_lanes)
    if (((operands.step == 0) && ...) &&
        detail::map_row_per_lane(source, y, rows, n, stores, body, operands.x...))
      return;
  for_each_row(
      source, rows, n, group_size, stores,
      [&](auto& row, u64 number, bool, T* target)
          KG_INLINE { body(row, target, (operands.x + number * operands.step)...); },
      y);
}

namespace detail {

/// Calls body(row, part index among those of all rows, row index, index of the part's first element in its row, group) for
/// each part of each row, where `row` is the part. A part has `part` elements; the last one of a row may be shorter. A block
/// processes one part at a time. y has one element per source element or is null; its alignment counts too.
template <class Source, class Body, class T>
KG_DEVICE void for_each_row_part(const Source& source, u64 rows, u64 n, u64 part, const SpanStores& stores,
                                 Body body, const T* y) {
  const u64 parts = (n + part - 1) / part;
  for_each_span(rows * parts, 1, [&](u64 task, u64) KG_INLINE {
    const Group group(block_threads);
    const u64 number = task / parts, first = (task - number * parts) * part, start = number * n + first;
    const u64 count = n - first < part ? n - first : part;
    with_long_row(
        group, source.from(start), count, group.index == 0, stores,
        [&](auto&& row) KG_INLINE { body(row, task, number, first, group); },
        y == nullptr ? nullptr : y + start);
  });
}

}  // namespace detail

/// The first of two launches for rows that are too long and too few for one group each: stores each part's State to `states`,
/// which is R::State [rows, parts].
template <class R, class Source>
KG_DEVICE void reduce_row_partials(const Source& source, b64* states, u64 rows, u64 n, u64 part) {
  using State = typename R::State;
  static_assert(sizeof(State) <= row_state_bytes, "the caller makes room for less");
  detail::for_each_row_part(
      source, rows, n, part, SpanStores(0),
      [=](auto& row, u64 task, u64, u64, const Group& group) KG_INLINE {
        const State state = row.template reduce<R>();
        if (group.index == 0 && group.rank == 0) reinterpret_cast<State*>(states)[task] = state;
      },
      static_cast<const b64*>(nullptr));
}

/// Combines the partial States of row `number`, which has `parts` of them. Every thread of the group gets the result.
template <class R>
KG_DEVICE typename R::State combine_partials(const Group& group, const b64* states, u64 number, u64 parts) {
  const auto* state = reinterpret_cast<const typename R::State*>(states) + number * parts;
  typename R::State total = R::identity();
  for (u64 i = group.rank; i < parts; i += group.size) total = R::combine(total, state[i]);
  return group_reduce(group, total, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
}

/// The second launch: calls body.finish(part, State of the whole row, the part of y, of the operands…) for each part.
/// Body::LongRowReduction is the reduction that the first launch applied. Each block combines its row's States anew, so that no
/// third launch is needed.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE void combine_rows(const Source& source, T* y, const b64* states, u64 rows, u64 n, u64 part,
                            const Body& body, const RowOperand<Operand>&... operands) {
  const u64 parts = (n + part - 1) / part;
  detail::for_each_row_part(
      source, rows, n, part, SpanStores(source.aliases(y) ? 0 : rows * n * sizeof(T)),
      [&](auto& row, u64, u64 number, u64 first, const Group& group) KG_INLINE {
        body.finish(row, combine_partials<typename Body::LongRowReduction>(group, states, number, parts),
                    y + number * n + first, (operands.x + number * operands.step + first)...);
      },
      y);
}

}  // namespace kg
