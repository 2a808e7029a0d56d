#pragma once
#include "device/atomic.hpp"
#include "engines/spans.hpp"

namespace kg {

/// Calls f(task) for the tasks 0 … n - 1, fewer than 2^32, of which a block takes the next by a counter that all share and that was 0
/// before. So f may wait for earlier tasks: they are done or in progress. All threads of a block get the same task.
template <class F>
KG_DEVICE void for_each_in_turn(u32* counter, u64 n, F f) {
  for_each_span(n, 1, [&](u64, u64) KG_INLINE {
    KG_SHARED u32 taken;
    if (thread_index() == 0) taken = atomic_count(counter, 1);
    sync();
    const u32 task = taken;
    sync();
    f(task);
  });
}

}  // namespace kg
