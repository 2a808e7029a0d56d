#pragma once
#include "device/dialect.hpp"

namespace kg {

/// One more in a counter that a block's threads share.
KG_DEVICE void tally(u32* counter) {
#if defined(__HIP__)
  __hip_atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
#elif defined(__CUDACC__)
  atomicAdd(counter, 1u);
#else
  ++*counter;
#endif
}

}  // namespace kg
