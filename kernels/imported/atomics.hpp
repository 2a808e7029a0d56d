#pragma once
/// Atomic functions. Plain names act on the device, _system on host and devices, _block on the block.
#include "imported/keywords.hpp"

namespace kernelgen_import {

#if KG_GPU
inline constexpr int block_scope = __HIP_MEMORY_SCOPE_WORKGROUP, device_scope = __HIP_MEMORY_SCOPE_AGENT,
                     system_scope = __HIP_MEMORY_SCOPE_SYSTEM;
template <int scope, class T>
KG_DEVICE T exchange(T* p, T value) {
  return __hip_atomic_exchange(p, value, __ATOMIC_RELAXED, scope);
}
template <int scope, class T>
KG_DEVICE bool compare_exchange(T* p, T& seen, T value) {
  return __hip_atomic_compare_exchange_strong(p, &seen, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);
}
template <int scope, class T>
KG_DEVICE T load(T* p) {
  return __hip_atomic_load(p, __ATOMIC_RELAXED, scope);
}
template <int scope, class T>
KG_DEVICE T fetch_add(T* p, T value) {
  return __hip_atomic_fetch_add(p, value, __ATOMIC_RELAXED, scope);
}
#else
inline constexpr int block_scope = 0, device_scope = 1, system_scope = 2;
template <int scope, class T>
KG_DEVICE bool compare_exchange(T* p, T& seen, T value) {
  return __atomic_compare_exchange(p, &seen, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
template <int scope, class T>
KG_DEVICE T load(T* p) {
  T value;
  __atomic_load(p, &value, __ATOMIC_RELAXED);
  return value;
}
#endif

/// *p = change(*p), by compare-and-swap; what was there before.
template <int scope, class T, class Change>
KG_DEVICE T update(T* p, Change change) {
  T seen = load<scope>(p);
  while (!compare_exchange<scope>(p, seen, change(seen))) continue;
  return seen;
}

#if !KG_GPU
template <int scope, class T>
KG_DEVICE T exchange(T* p, T value) {
  return update<scope>(p, [&](T) { return value; });
}
template <int scope, class T>
KG_DEVICE T fetch_add(T* p, T value) {
  return update<scope>(p, [&](T x) { return x + value; });
}
#endif

template <int scope, class T>
KG_DEVICE T compare_and_swap(T* p, T compare, T value) {
  compare_exchange<scope>(p, compare, value);
  return compare;
}

}  // namespace kernelgen_import

#define KG_ATOMICS(suffix, scope)                                                                           \
  template <class T, class V>                                                                               \
  KG_DEVICE T atomicAdd##suffix(T* p, V value) {                                                            \
    return kernelgen_import::fetch_add<kernelgen_import::scope>(p, static_cast<T>(value));                  \
  }                                                                                                         \
  template <class T, class V>                                                                               \
  KG_DEVICE T atomicSub##suffix(T* p, V value) {                                                            \
    return kernelgen_import::fetch_add<kernelgen_import::scope>(p, static_cast<T>(-static_cast<T>(value))); \
  }                                                                                                         \
  template <class T, class V>                                                                               \
  KG_DEVICE T atomicExch##suffix(T* p, V value) {                                                           \
    return kernelgen_import::exchange<kernelgen_import::scope>(p, static_cast<T>(value));                   \
  }                                                                                                         \
  template <class T, class C, class V>                                                                      \
  KG_DEVICE T atomicCAS##suffix(T* p, C compare, V value) {                                                 \
    return kernelgen_import::compare_and_swap<kernelgen_import::scope>(p, static_cast<T>(compare),          \
                                                                       static_cast<T>(value));              \
  }                                                                                                         \
  KG_ATOMIC_UPDATE(atomicMin##suffix, scope, x < v ? x : v)                                                 \
  KG_ATOMIC_UPDATE(atomicMax##suffix, scope, x > v ? x : v)                                                 \
  KG_ATOMIC_UPDATE(atomicAnd##suffix, scope, x& v)                                                          \
  KG_ATOMIC_UPDATE(atomicOr##suffix, scope, x | v)                                                          \
  KG_ATOMIC_UPDATE(atomicXor##suffix, scope, x ^ v)                                                         \
  KG_ATOMIC_UPDATE(atomicInc##suffix, scope, x >= v ? T(0) : T(x + 1))                                      \
  KG_ATOMIC_UPDATE(atomicDec##suffix, scope, x == 0 || x > v ? v : T(x - 1))
/// Loops of compare-and-swap, which LLVM does not make of what a GPU has as one instruction for each of these types.
#define KG_ATOMIC_UPDATE(name, scope, expression)                                                      \
  template <class T, class V>                                                                          \
  KG_DEVICE T name(T* p, V value) {                                                                    \
    const T v = static_cast<T>(value);                                                                 \
    return kernelgen_import::update<kernelgen_import::scope>(p, [&](T x) -> T { return expression; }); \
  }
KG_ATOMICS(, device_scope)
KG_ATOMICS(_block, block_scope)
KG_ATOMICS(_system, system_scope)
#undef KG_ATOMICS
#undef KG_ATOMIC_UPDATE

template <class T>
KG_DEVICE T unsafeAtomicAdd(T* p, T value) {
  return atomicAdd(p, value);
}
template <class T>
KG_DEVICE T safeAtomicAdd(T* p, T value) {
  return atomicAdd(p, value);
}
#if !KG_GPU
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#define __hip_atomic_fetch_add(p, value, order, scope) atomicAdd(p, value)
#define __hip_atomic_exchange(p, value, order, scope) atomicExch(p, value)
#define __hip_atomic_load(p, order, scope) kernelgen_import::load<0>(p)
#endif
