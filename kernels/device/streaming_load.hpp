#pragma once
/// Loads of data that a kernel reads once and later kernels do not read. An evict-first L2 hint keeps other
/// data in L2, including the code of other kernels, which would otherwise be fetched from memory again.
#include "device/dialect.hpp"

namespace kg {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

namespace detail {

/// createpolicy and cache hints: PTX ISA, "Cache eviction priority hints".
KG_DEVICE u64 evict_first_policy() {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace detail

/// `p` must not be written while the kernel runs.
KG_DEVICE u32 streaming_load(const u32* p) {
  u32 x;
  asm("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(x) : "l"(p), "l"(detail::evict_first_policy()));
  return x;
}
KG_DEVICE u16 streaming_load(const u16* p) {
  u16 x;
  asm("ld.global.nc.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(x) : "l"(p), "l"(detail::evict_first_policy()));
  return x;
}
KG_DEVICE u32 streaming_load(const u8* p) {
  u32 x;
  asm("ld.global.nc.L2::cache_hint.u8 %0, [%1], %2;" : "=r"(x) : "l"(p), "l"(detail::evict_first_policy()));
  return x;
}

#else

template <class T>
KG_DEVICE T streaming_load(const T* p) {
  return *p;
}

#endif

}  // namespace kg
