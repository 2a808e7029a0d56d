#pragma once
/// Relaxed compare-and-exchange on memory that a block or all blocks share.
#include "device/dialect.hpp"

namespace kg {

/// Stores `value` if *p is `expected`. Returns the previous value.
KG_DEVICE u32 compare_exchange(u32* p, u32 expected, u32 value) {
#if defined(__CUDACC__)
  return atomicCAS(p, expected, value);
#else
#if defined(__HIP__)
  __hip_atomic_compare_exchange_strong(p, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
#else
  __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
  return expected;
#endif
}

}  // namespace kg
