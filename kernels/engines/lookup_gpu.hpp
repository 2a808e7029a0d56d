#pragma once
#include "engines/copy_run.hpp"
#include "engines/elements.hpp"
#include "engines/index_check.hpp"
#include "engines/tasks.hpp"

namespace kg {

template <class T, class Id>
KG_DEVICE void look_up(const T* x, const Id* ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                       const IndexCheck& check) {
  for_each_element(
      layout,
      [&](u32 index, const Position<2>& at)
          KG_INLINE { return check.resolve(ids[at.offset[1]], [&] { return first + index; }); },
      [&](const Position<2>& at, i64 place)
          KG_INLINE { return place >= 0 ? x[at.offset[0] + place * step] : T{}; },
      [&](u32 index, i64, T value) KG_INLINE { y[index] = value; });
}

template <class T, class Id>
KG_DEVICE void look_up_runs(const T* x, const Id* ids, T* y, const Strided<2>& runs, i64 step, u64 first,
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
