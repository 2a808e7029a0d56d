#pragma once
/// The cross-entropy of contiguous rows of logits.
#include "engines/index_check.hpp"
#include "engines/row.hpp"
#include "row_reduction.hpp"

namespace kg {

/// log of Σ exp(x), as the greatest element and what the logarithm lies above it, less x at the row's target; 0 where the
/// target is no place. `log_sums`, which may be missing, gets the logarithms, of the type that is computed in.
template <class T>
KG_DEVICE void cross_entropy(const T* x, const void* targets, u32 target_type, T* loss, b64* log_sums,
                             u64 rows, u64 n, u32 group_size, b64* fault, u64 call, u64 operation) {
  using V = widened<T>;
  const IndexCheck check(fault, call, operation, n, 1, rows);
  for_each_row(
      RowOf<T>{x}, rows, n, group_size, RunStores(0), [&](auto& row, u64 number, bool is_first) KG_INLINE {
        const auto state = row.template reduce<SumOfExpBelowTop<V>>();
        if (!is_first) return;
        const V above = log(state.sum);
        if (log_sums) reinterpret_cast<V*>(log_sums)[number] = state.top + above;
        const i64 target = load_index(targets, static_cast<IdType>(target_type), number);
        const i64 place = check.resolve(target, [=] { return number; });
        // In this order: the sum alone could be so far from zero that it has no digits left for the difference.
        loss[number] = convert<T>(place < 0 ? V(0) : state.top - widen(x[number * n + place]) + above);
      });
}

}  // namespace kg
