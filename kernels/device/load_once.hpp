#pragma once
/// Loads of what a kernel reads once, and the next kernels not at all: in the second cache it gives way to what is used again,
/// other kernels' code among it, which would have to come from memory as often as it is gone.
#include "device/dialect.hpp"

namespace kg {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

namespace detail {

/// createpolicy and cache hints: PTX ISA, "Cache eviction priority hints".
KG_DEVICE u64 gives_way() {
  u64 policy;
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace detail

/// Nothing writes there while the kernel runs.
KG_DEVICE u32 load_once(const u32* p) {
  u32 x;
  asm("ld.global.nc.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(x) : "l"(p), "l"(detail::gives_way()));
  return x;
}
KG_DEVICE u16 load_once(const u16* p) {
  u16 x;
  asm("ld.global.nc.L2::cache_hint.u16 %0, [%1], %2;" : "=h"(x) : "l"(p), "l"(detail::gives_way()));
  return x;
}
KG_DEVICE u32 load_once(const u8* p) {
  u32 x;
  asm("ld.global.nc.L2::cache_hint.u8 %0, [%1], %2;" : "=r"(x) : "l"(p), "l"(detail::gives_way()));
  return x;
}

#else

template <class T>
KG_DEVICE T load_once(const T* p) {
  return *p;
}

#endif

}  // namespace kg
