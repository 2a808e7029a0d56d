#pragma once
/// Cross-entropy of contiguous rows of logits.
#include "engines/index_check.hpp"
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

namespace detail {

/// The targets of the rows and the destinations of the results.
template <class T>
struct Targets {
  const T* x;
  const void* ids;
  IdType type;
  T* loss;
  b64* log_sums;  ///< may be null
  u64 n;
  IndexCheck check;

  KG_DEVICE Targets(const T* x, const void* ids, u32 id_type, T* loss, b64* log_sums, u64 rows, u64 n,
                    b64* fault, u64 call, u64 operation)
      : x(x),
        ids(ids),
        type(static_cast<IdType>(id_type)),
        loss(loss),
        log_sums(log_sums),
        n(n),
        check(fault, call, operation, n, 1, rows) {}

  KG_DEVICE void put(u64 row, const typename OnlineSoftmax<widened<T>>::State& state) const {
    using V = widened<T>;
    const V above = log(state.sum);
    if (log_sums) reinterpret_cast<V*>(log_sums)[row] = state.top + above;
    const i64 position = check.resolve(load_index(ids, type, row), [=] { return row; });
    // In this order: top + log(sum) could be too large to leave digits for the difference.
    loss[row] = convert<T>(position < 0 ? V(0) : state.top - widen(x[row * n + position]) + above);
  }
};

}  // namespace detail

/// Per row: log Σ exp(x) minus x at the row's target, where the logarithm is top + log(Σ exp(x - top)). The
/// loss of an invalid target is 0. If `log_sums` is not null it receives the logarithms, in the compute type.
template <class T>
KG_DEVICE void cross_entropy(const T* x, const void* ids, u32 id_type, T* loss, b64* log_sums, u64 rows,
                             u64 n, u32 group_size, b64* fault, u64 call, u64 operation) {
  using V = widened<T>;
  const detail::Targets<T> targets(x, ids, id_type, loss, log_sums, rows, n, fault, call, operation);
  const SpanStores stores(0);
  const auto put_each = [&](auto& some, u64 first, u32 count) KG_INLINE {
    const auto top = some.template reduce<Max<V>>();
    const auto finite = top.each([](V v) KG_INLINE { return v - v == 0 ? v : V(0); });
    const auto sum = some.map([=](auto v) KG_INLINE { return v - finite; }).template reduce<SumOfExp<V>>();
    for (u32 r = 0; r < count; ++r) {
      const u32 lane = some.lane_of(r);
      targets.put(first + r, {top.value[lane], sum.value[lane]});
    }
  };
  if (detail::for_each_row_per_lane(RowOf<T>{x}, rows, n, stores, put_each)) return;
  for_each_row(
      RowOf<T>{x}, rows, n, group_size, stores,
      [&](auto& row, u64 number, bool is_first, T*) KG_INLINE {
        const auto state = row.template reduce<OnlineSoftmax<widened<T>>>();
        if (is_first) targets.put(number, state);
      },
      static_cast<T*>(nullptr));
}

/// The second launch for rows in parts of `part` elements: `states` is what softmax's `partial` stored.
template <class T>
KG_DEVICE void cross_entropy_combine(const b64* states, u64 part, const T* x, const void* ids, u32 id_type,
                                     T* loss, b64* log_sums, u64 rows, u64 n, b64* fault, u64 call,
                                     u64 operation) {
  const detail::Targets<T> targets(x, ids, id_type, loss, log_sums, rows, n, fault, call, operation);
  for_each_span(rows, 1, [&](u64 number, u64) KG_INLINE {
    const Group group(block_threads);
    const auto state =
        combine_partials<OnlineSoftmax<widened<T>>>(group, states, number, (n + part - 1) / part);
    if (group.rank == 0) targets.put(number, state);
  });
}

}  // namespace kg
