#pragma once
/// Elements from where indices point to. An index that is its type's largest value, or points outside the dim,
/// gives 0.
#include "engines/copy_run.hpp"
#include "engines/lookup.hpp"
#include "engines/tasks.hpp"

namespace kg {
/// An index for each element of y: see look_up.
template <class T, class Id>
KG_DEVICE void gather(const T* x, const Id* ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                      const IndexCheck& check) {
  look_up(x, ids, y, layout, step, first, check);
}

/// An index for each run of `length` neighbours in x and y. `runs` walks the runs as gather's layout does the
/// elements. A group of `threads` takes up to `part` elements of a run at a time.
template <class T, class Id>
KG_DEVICE void gather_runs(const T* x, const Id* ids, T* y, const Strided<2>& runs, i64 step, u64 first,
                           u64 length, u32 part, u32 threads, const IndexCheck& check) {
  const Group group(threads);
  const RunStores stores(runs.elements * length * sizeof(T));
  const u64 parts = (length + part - 1) / part;
  for_each_run(runs.elements * parts, group.count, [&](u64 task, u64 tasks) KG_INLINE {
    if (group.index >= tasks) return;
    const u64 mine = task + group.index;
    const u32 run = static_cast<u32>(mine / parts);
    const u64 begin = mine % parts * part, count = length - begin < part ? length - begin : part;
    const Position<2> at = locate(runs, run);
    const i64 place = check.resolve(ids[at.offset[1]], [&] { return first + run * length; });
    T* target = y + run * length + begin;
    if (place >= 0)
      copy_run(group, x + at.offset[0] + place * step + begin, target, count, stores);
    else
      for (u64 i = group.rank; i < count; i += group.size) target[i] = T{};
  });
}

}  // namespace kg
