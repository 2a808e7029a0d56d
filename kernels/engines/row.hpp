#pragma once
/// A row of contiguous elements that a group of threads works on, widened, in as few passes over memory as its
/// length allows. It comes from one operand or from several (engines/row_source.hpp). Bodies write one chain for every
/// length:
///
///   with_row(group, source, n, works, stores, [&](auto&& row) {
///     const auto m = row.template reduce<Max<...>>();      every thread of the group gets the result
///     auto&& e = row.map([=](auto v) { return ...; });     in place where the row is held, else applied again
///     e.store(y, [=](auto v, auto w) { return ...; }, weights);      once, and last
///   }, y, weights);                                        whose alignment counts too
///
/// All threads of a block call it with one n, of up to 2^63 elements; those of groups without a row say so by `works`.
#include "device/dialect.hpp"
#include "engines/tasks.hpp"
#include "plan/row.hpp"

#if KG_GPU
#include "engines/row_tile_gpu.hpp"
#else
#include "engines/row_cpu.hpp"
#endif

namespace kg {

/// Calls body(row, its part of y, operands…) for each of `rows` rows of n elements, which make up y. Rows and all of these may
/// be of the type that T is computed in.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE void map_rows(const Source& source, T* y, u64 rows, u64 n, u32 group_size, Body body,
                        const Operand*... operands) {
  // In place, its lines are in the caches anyway.
  const RunStores stores(source.lies_at(y) ? 0 : rows * n * sizeof(T));
  if (detail::map_rows_beside(source, y, rows, n, stores, body, operands...)) return;
  for_each_row(
      source, rows, n, group_size, stores,
      [&](auto& row, u64, bool, T* target) KG_INLINE { body(row, target, operands...); }, y, operands...);
}

namespace detail {

/// Calls body(row, part's number, row's number, the part's first element, group) for each part of each row: `part`
/// elements or, the last of a row, what is left. A block has one at a time. The alignment of y, which has an element for
/// each of the source's or is null, and of what each row goes with counts too.
template <class Source, class Body, class T, class... Operand>
KG_DEVICE void for_each_row_part(const Source& source, u64 rows, u64 n, u64 part, const RunStores& stores,
                                 Body body, const T* y, const Operand*... operands) {
  const u64 parts = (n + part - 1) / part;
  for_each_run(rows * parts, 1, [&](u64 task, u64) KG_INLINE {
    const Group group(block_threads);
    const u64 number = task / parts, first = (task - number * parts) * part, start = number * n + first;
    const u64 count = n - first < part ? n - first : part;
    with_long_row(
        group, source.from(start), count, group.index == 0, stores,
        [&](auto&& row) KG_INLINE { body(row, task, number, first, group); },
        y == nullptr ? nullptr : y + start, (operands + first)...);
  });
}

}  // namespace detail

/// The State of each part of each row, for rows that are too long and too few for a group of threads each.
template <class R, class Source>
KG_DEVICE void reduce_row_parts(const Source& source, b64* states, u64 rows, u64 n, u64 part) {
  using State = typename R::State;
  static_assert(sizeof(State) <= row_state_bytes, "the caller makes room for less");
  detail::for_each_row_part(
      source, rows, n, part, RunStores(0),
      [=](auto& row, u64 task, u64, u64, const Group& group) KG_INLINE {
        const State state = row.template reduce<R>();
        if (group.index == 0 && group.rank == 0) reinterpret_cast<State*>(states)[task] = state;
      },
      static_cast<const b64*>(nullptr));
}

/// Then, of all of row `number`, which has `parts`: for each thread of the group.
template <class R>
KG_DEVICE typename R::State state_of_parts(const Group& group, const b64* states, u64 number, u64 parts) {
  const auto* state = reinterpret_cast<const typename R::State*>(states) + number * parts;
  typename R::State total = R::identity();
  for (u64 i = group.rank; i < parts; i += group.size) total = R::combine(total, state[i]);
  return group_reduce(group, total, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
}

/// Calls body(row, the State of all the row, its part of y, first element of the part) for each part.
template <class R, class Source, class T, class Body, class... Operand>
KG_DEVICE void map_row_parts(const Source& source, T* y, const b64* states, u64 rows, u64 n, u64 part,
                             Body body, const Operand*... operands) {
  const u64 parts = (n + part - 1) / part;
  detail::for_each_row_part(
      source, rows, n, part, RunStores(source.lies_at(y) ? 0 : rows * n * sizeof(T)),
      [=](auto& row, u64, u64 number, u64 first, const Group& group) KG_INLINE {
        body(row, state_of_parts<R>(group, states, number, parts), y + number * n + first, first);
      },
      y, operands...);
}

}  // namespace kg
