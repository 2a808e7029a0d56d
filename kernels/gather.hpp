#pragma once
/// Elements from where indices point to. An index that is its type's largest value, or points outside the dim,
/// gives 0.
#include "engines/lookup.hpp"

namespace kg {

/// An index for each element of a row of y: see look_up.
template <class T, class Id>
KG_DEVICE void gather(const T* x, const Id* ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                      const LookupRows& rows, const IndexCheck& check) {
  look_up(x, ids, y, layout, step, first, rows, check);
}

/// An index for each run of neighbours: see look_up_runs.
template <class T, class Id>
KG_DEVICE void gather_runs(const T* x, const Id* ids, T* y, const Strided<2>& runs, i64 step, u64 first,
                           u64 length, u32 part, u32 threads, const IndexCheck& check) {
  look_up_runs(x, ids, y, runs, step, first, length, part, threads, check);
}

}  // namespace kg
