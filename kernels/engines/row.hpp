#pragma once
/// A row of contiguous elements that a group of threads works on, widened, in as few passes over memory as its
/// length allows. Bodies write one chain for every length:
///
///   with_row(group, x, n, works, stores, [&](auto&& row) {
///     const auto m = row.template reduce<Max<...>>();      every thread of the group gets the result
///     auto&& e = row.map([=](auto v) { return ...; });     in place where the row is held, else applied again
///     e.store(y, [=](auto v, auto w) { return ...; }, weights);
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

/// Calls row(x's row, y's row) for each of `rows` rows of n elements, a group of `group_size` threads a row.
template <class T, class Body, class... Operand>
KG_DEVICE void for_each_row(const T* x, T* y, u64 rows, u64 n, u32 group_size, Body body,
                            const Operand*... operands) {
  const Group group(group_size);
  // In place, its lines are in the caches anyway.
  const RunStores stores(x == y ? 0 : rows * n * sizeof(T));
  for_each_run(rows, group.count, [&](u64 first, u64 count) KG_INLINE {
    const bool works = group.index < count;
    const u64 start = (first + (works ? group.index : 0)) * n;
    with_row(
        group, x + start, n, works, stores, [&](auto&& row) KG_INLINE { body(row, y + start); }, y + start,
        operands...);
  });
}

}  // namespace kg
