#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Adds to a counter shared by a block's threads and returns the previous value.
KG_DEVICE u32 histogram_add(u32* counter, u32 count = 1) {
#if defined(__HIP__)
  return __hip_atomic_fetch_add(counter, count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
#elif defined(__CUDACC__)
  return atomicAdd(counter, count);
#else
  const u32 before = *counter;
  *counter += count;
  return before;
#endif
}

}  // namespace kg
