#pragma once
#include "device/atomic.hpp"

namespace kg {

/// The next value of a counter that all blocks share and that was 0 before, the same for all threads of a block. Blocks that process
/// tasks in this order may wait for earlier tasks, which are done or in progress. All threads of a block must call this.
KG_DEVICE u32 take_turn(u32* counter) {
  KG_SHARED u32 taken;
  if (thread_index() == 0) taken = atomic_count(counter, 1);
  sync();
  const u32 turn = taken;
  sync();
  return turn;
}

}  // namespace kg
