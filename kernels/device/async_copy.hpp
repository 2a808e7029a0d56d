#pragma once
/// Asynchronous copies of 16 bytes from global to shared memory that bypass the registers (cp.async).
#include "device/dialect.hpp"

namespace kg {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

inline constexpr bool has_async_copy = true;

/// Both addresses must be aligned to 16 bytes. If `wanted` is false, stores zeros and does not read `from`.
KG_DEVICE void async_copy(void* shared, const void* from, bool wanted) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<u32>(__cvta_generic_to_shared(shared))),
               "l"(from), "r"(wanted ? 16 : 0)
               : "memory");
}
/// Waits for this thread's copies. Those of other threads are visible after the next sync().
KG_DEVICE void async_copy_wait_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }
/// Commits this thread's copies since the last call as one group.
KG_DEVICE void async_copy_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until at most the last `later` committed groups of this thread are in flight.
template <int later>
KG_DEVICE void async_copy_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
}

#else

inline constexpr bool has_async_copy = false;

KG_DEVICE void async_copy(void*, const void*, bool) {}
KG_DEVICE void async_copy_wait_all() {}
KG_DEVICE void async_copy_commit() {}
template <int later>
KG_DEVICE void async_copy_wait() {}

#endif

}  // namespace kg
