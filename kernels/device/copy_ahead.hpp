#pragma once
/// 16 bytes at a time from memory to shared memory, past the registers, while the thread goes on.
#include "device/dialect.hpp"

namespace kg {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

inline constexpr bool copies_ahead = true;

/// Both addresses are aligned to 16 bytes; zeros where nothing is `wanted`, `from` is not read then.
KG_DEVICE void copy_ahead(void* shared, const void* from, bool wanted) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<u32>(__cvta_generic_to_shared(shared))),
               "l"(from), "r"(wanted ? 16 : 0)
               : "memory");
}
/// Waits for this thread's copies; others' are there after the next sync().
KG_DEVICE void await_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }
/// Puts this thread's copies since the last call together.
KG_DEVICE void end_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits for all of this thread's but the last `later` that were put together.
template <int later>
KG_DEVICE void await_earlier_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(later) : "memory");
}

#else

inline constexpr bool copies_ahead = false;

KG_DEVICE void copy_ahead(void*, const void*, bool) {}
KG_DEVICE void await_copies() {}
KG_DEVICE void end_copies() {}
template <int later>
KG_DEVICE void await_earlier_copies() {}

#endif

}  // namespace kg
