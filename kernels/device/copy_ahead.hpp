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

#else

inline constexpr bool copies_ahead = false;

KG_DEVICE void copy_ahead(void*, const void*, bool) {}
KG_DEVICE void await_copies() {}

#endif

}  // namespace kg
