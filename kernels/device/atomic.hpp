#pragma once
/// Device-wide atomics on memory shared by all blocks. They are relaxed; fence() orders the surrounding
/// accesses.
#include "device/dialect.hpp"

namespace kg {
namespace native {

#if defined(__HIP__)

template <class T>
KG_DEVICE T atomic_load(const T* p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
template <class T>
KG_DEVICE void atomic_store(T* p, T value) {
  __hip_atomic_store(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KG_DEVICE u32 atomic_exchange(u32* p, u32 value) {
  return __hip_atomic_exchange(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
/// Stores `value` if *p is `expected`. Returns the previous value.
KG_DEVICE u32 atomic_compare_exchange(u32* p, u32 expected, u32 value) {
  __hip_atomic_compare_exchange_strong(p, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
KG_DEVICE u32 atomic_count(u32* p, u32 value) {
  return __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KG_DEVICE void atomic_max(u32* p, u32 value) {
  __hip_atomic_fetch_max(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
/// Floats are added by a compare-and-swap loop, because the hardware's floating-point atomics flush
/// subnormals.
template <class T>
KG_DEVICE void atomic_add(T* p, T value) {
  __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
KG_DEVICE void fence() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent"); }

#elif defined(__CUDACC__)

template <class T>
KG_DEVICE T atomic_load(const T* p) {
  return *const_cast<const volatile T*>(p);
}
template <class T>
KG_DEVICE void atomic_store(T* p, T value) {
  *const_cast<volatile T*>(p) = value;
}
KG_DEVICE u32 atomic_exchange(u32* p, u32 value) { return atomicExch(p, value); }
KG_DEVICE u32 atomic_compare_exchange(u32* p, u32 expected, u32 value) {
  return atomicCAS(p, expected, value);
}
KG_DEVICE u32 atomic_count(u32* p, u32 value) { return atomicAdd(p, value); }
KG_DEVICE void atomic_max(u32* p, u32 value) { atomicMax(p, value); }
template <class T>
KG_DEVICE void atomic_add(T* p, T value) {
  atomicAdd(p, value);
}
/// The hardware's atomic add flushes subnormals, which matters only for tiny operands; those use
/// compare-and-swap.
KG_DEVICE void atomic_add(float* p, float value) {
  if ((value < 0 ? -value : value) >= 0x1p-100f) {
    atomicAdd(p, value);
    return;
  }
  u32* word = reinterpret_cast<u32*>(p);
  for (u32 seen = *word, before; true; seen = before) {
    before = atomicCAS(word, seen, bit_cast<u32>(bit_cast<float>(seen) + value));
    if (before == seen) return;
  }
}
KG_DEVICE void fence() { __threadfence(); }

#else

template <class T>
KG_DEVICE T atomic_load(const T* p) {
  return __atomic_load_n(p, __ATOMIC_RELAXED);
}
template <class T>
KG_DEVICE void atomic_store(T* p, T value) {
  __atomic_store(p, &value, __ATOMIC_RELAXED);
}
KG_DEVICE u32 atomic_exchange(u32* p, u32 value) { return __atomic_exchange_n(p, value, __ATOMIC_RELAXED); }
KG_DEVICE u32 atomic_compare_exchange(u32* p, u32 expected, u32 value) {
  __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return expected;
}
KG_DEVICE u32 atomic_count(u32* p, u32 value) { return __atomic_fetch_add(p, value, __ATOMIC_RELAXED); }
KG_DEVICE void atomic_max(u32* p, u32 value) {
  for (u32 seen = atomic_load(p); seen < value;)
    if (__atomic_compare_exchange_n(p, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return;
}
template <class T>
KG_DEVICE void atomic_add(T* p, T value) {
  if constexpr (is_integer<T>) {
    __atomic_fetch_add(p, value, __ATOMIC_RELAXED);
  } else {
    T seen;
    __atomic_load(p, &seen, __ATOMIC_RELAXED);
    T sum = seen + value;
    while (!__atomic_compare_exchange(p, &seen, &sum, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      sum = seen + value;
  }
}
KG_DEVICE void fence() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }

#endif

}  // namespace native

/// atomic_count adds to *p and returns the previous value.
using native::atomic_count;
using native::atomic_exchange;
using native::atomic_load;
using native::atomic_max;
using native::atomic_store;

/// Orders this thread's earlier reads and writes before its later ones, as seen by all threads of the device.
KG_DEVICE void fence() { native::fence(); }

/// *p += value for types of 4 and 8 bytes. Integers wrap. Floats keep subnormals; the order of additions is
/// unspecified.
template <class T>
KG_DEVICE void atomic_add(T* p, T value) {
  if constexpr (same<T, i64>)
    native::atomic_add(reinterpret_cast<u64*>(p), static_cast<u64>(value));
  else
    native::atomic_add(p, value);
}

}  // namespace kg
