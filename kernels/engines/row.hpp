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

#if KG_GPU
#include "engines/row_gpu.hpp"
#else
#include "engines/row_cpu.hpp"
#endif

namespace kg {

/// Calls body(row, number, whether this thread is the first of a group that has that row) for each of `rows` rows of n
/// elements, a group of `group_size` threads a row.
template <class Source, class Body, class... Operand>
KG_DEVICE void for_each_row(const Source& source, u64 rows, u64 n, u32 group_size, const RunStores& stores,
                            Body body, const Operand*... operands) {
  for_each_run(rows, Group(group_size).count, [&](u64 first, u64 count) KG_INLINE {
    const Group group(worked_out_again(group_size));
    const bool works = group.index < count;
    const u64 number = first + (works ? group.index : 0);
    with_row(
        group, source.from(number * n), n, works, stores,
        [&](auto&& row) KG_INLINE { body(row, number, works && group.rank == 0); }, operands...);
  });
}

/// Calls body(row, its part of y) for each of `rows` rows of n elements, which make up y.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE void map_rows(const Source& source, T* y, u64 rows, u64 n, u32 group_size, Body body,
                        const Operand*... operands) {
  // In place, its lines are in the caches anyway.
  const RunStores stores(source.lies_at(y) ? 0 : rows * n * sizeof(T));
  for_each_row(
      source, rows, n, group_size, stores,
      [&](auto& row, u64 number, bool) KG_INLINE { body(row, y + number * n); }, y, operands...);
}

}  // namespace kg
