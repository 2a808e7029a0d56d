#pragma once
/// Operations of the lanes of a wave: shuffles, votes, matches, reductions, with and without masks.
#include "imported/threads.hpp"

namespace kernelgen_import {

#if KG_GPU
KG_DEVICE unsigned lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
KG_DEVICE unsigned long long ballot(bool predicate) { return kg::native::ballot(predicate); }
/// `value` of the lane `from` of this thread's wave.
template <class T>
KG_DEVICE T lane_value(T value, unsigned from) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  unsigned word[words] = {};
  __builtin_memcpy(word, &value, sizeof(T));
  for (unsigned i = 0; i < words; ++i)
    word[i] = static_cast<unsigned>(
        __builtin_amdgcn_ds_bpermute(static_cast<int>(from * 4), static_cast<int>(word[i])));
  __builtin_memcpy(&value, word, sizeof(T));
  return value;
}
#else
KG_DEVICE unsigned lane() { return current_thread % crew_lanes; }
KG_DEVICE unsigned long long ballot(bool predicate) {
  current_crew->exchange(predicate);
  unsigned long long bits = 0;
  for (unsigned i = 0; i < crew_lanes; ++i)
    if (const unsigned long long* given = current_crew->given(i)) bits |= *given << i;
  return bits;
}
template <class T>
KG_DEVICE T lane_value(T value, unsigned from) {
  for (unsigned at = 0; at < sizeof(T); at += 8) {
    const unsigned bytes = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
    unsigned long long word = 0;
    __builtin_memcpy(&word, reinterpret_cast<char*>(&value) + at, bytes);
    current_crew->exchange(word);
    const unsigned long long* const given = current_crew->given(from);
    if (given) __builtin_memcpy(reinterpret_cast<char*>(&value) + at, given, bytes);
  }
  return value;
}
#endif

/// `width` lanes, a power of two, exchange values among themselves.
template <class T>
KG_DEVICE T shuffle(T value, int source, int width) {
  const unsigned self = lane(), first = self & ~static_cast<unsigned>(width - 1);
  return lane_value(value, first + (static_cast<unsigned>(source) & static_cast<unsigned>(width - 1)));
}
template <class T>
KG_DEVICE T shuffle_up(T value, unsigned delta, int width) {
  const unsigned self = lane(), first = self & ~static_cast<unsigned>(width - 1);
  return lane_value(value, self - first < delta ? self : self - delta);
}
template <class T>
KG_DEVICE T shuffle_down(T value, unsigned delta, int width) {
  const unsigned self = lane(), first = self & ~static_cast<unsigned>(width - 1);
  return lane_value(value, self - first + delta >= static_cast<unsigned>(width) ? self : self + delta);
}
template <class T>
KG_DEVICE T shuffle_xor(T value, int mask, int width) {
  const unsigned self = lane(), first = self & ~static_cast<unsigned>(width - 1),
                 other = self ^ static_cast<unsigned>(mask);
  return lane_value(value, other >= first + static_cast<unsigned>(width) ? self : other);
}

/// Lanes of CUDA's warps, of which a wave may hold two.
inline constexpr unsigned warp_lanes = 8 * sizeof(unsigned);
/// Bits of the lanes of this thread's warp or wave, which a mask says.
template <class Mask>
KG_DEVICE Mask warp_bits(unsigned long long wave) {
  return static_cast<Mask>(sizeof(Mask) == sizeof(unsigned) && lane() >= warp_lanes ? wave >> warp_lanes
                                                                                    : wave);
}

}  // namespace kernelgen_import

KG_DEVICE unsigned __lane_id() { return kernelgen_import::lane(); }

template <class T>
KG_DEVICE T __shfl(T value, int source, int width = warpSize) {
  return kernelgen_import::shuffle(value, source, width);
}
template <class T>
KG_DEVICE T __shfl_up(T value, unsigned delta, int width = warpSize) {
  return kernelgen_import::shuffle_up(value, delta, width);
}
template <class T>
KG_DEVICE T __shfl_down(T value, unsigned delta, int width = warpSize) {
  return kernelgen_import::shuffle_down(value, delta, width);
}
template <class T>
KG_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {
  return kernelgen_import::shuffle_xor(value, mask, width);
}

#ifdef KERNELGEN_CUDA_FILE
using KgWaveMask = unsigned;
#else
using KgWaveMask = unsigned long long;
#endif
KG_DEVICE KgWaveMask __ballot(int predicate) {
  return kernelgen_import::warp_bits<KgWaveMask>(kernelgen_import::ballot(predicate != 0));
}
KG_DEVICE KgWaveMask __activemask() { return __ballot(1); }
KG_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
KG_DEVICE int __all(int predicate) { return __ballot(!predicate) == 0; }

// llama.cpp and others define some of these names themselves, and say so to HIP's headers by this macro.
#ifndef HIP_DISABLE_WARP_SYNC_BUILTINS
// Lanes that the mask leaves out do not call these.
template <class Mask, class T>
KG_DEVICE T __shfl_sync(Mask, T value, int source, int width = warpSize) {
  return __shfl(value, source, width);
}
template <class Mask, class T>
KG_DEVICE T __shfl_up_sync(Mask, T value, unsigned delta, int width = warpSize) {
  return __shfl_up(value, delta, width);
}
template <class Mask, class T>
KG_DEVICE T __shfl_down_sync(Mask, T value, unsigned delta, int width = warpSize) {
  return __shfl_down(value, delta, width);
}
template <class Mask, class T>
KG_DEVICE T __shfl_xor_sync(Mask, T value, int mask, int width = warpSize) {
  return __shfl_xor(value, mask, width);
}
template <class Mask>
KG_DEVICE KgWaveMask __ballot_sync(Mask mask, int predicate) {
  return __ballot(predicate) & static_cast<KgWaveMask>(mask);
}
template <class Mask>
KG_DEVICE int __any_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <class Mask>
KG_DEVICE int __all_sync(Mask mask, int predicate) {
  return __ballot_sync(mask, !predicate) == 0;
}
template <class Mask, class T>
KG_DEVICE KgWaveMask __match_any_sync(Mask mask, T value) {
  KgWaveMask same = 0;
  for (unsigned i = 0; i < sizeof(KgWaveMask) * 8 && i < static_cast<unsigned>(warpSize); ++i) {
    const T other = __shfl(value, static_cast<int>(i));
    same |= static_cast<KgWaveMask>(other == value) << i;
  }
  return same & static_cast<KgWaveMask>(mask) & __activemask();
}
template <class Mask, class T>
KG_DEVICE KgWaveMask __match_all_sync(Mask mask, T value, int* is_same) {
  const T first = __shfl(value, __builtin_ctzll(static_cast<unsigned long long>(mask)));
  *is_same = __all_sync(mask, first == value);
  return *is_same ? static_cast<KgWaveMask>(mask) : 0;
}
#define KG_REDUCE_SYNC(name, type, expression)                                    \
  template <class Mask>                                                           \
  KG_DEVICE type __reduce_##name##_sync(Mask mask, type x) {                      \
    const int lane = static_cast<int>(kernelgen_import::lane()) & (warpSize - 1); \
    type all = x;                                                                 \
    for (int i = 0; i < warpSize; ++i) {                                          \
      const type y = __shfl(x, i);                                                \
      const type a = all;                                                         \
      if (i != lane && static_cast<KgWaveMask>(mask) >> i & 1) all = expression;  \
    }                                                                             \
    return all;                                                                   \
  }
KG_REDUCE_SYNC(add, unsigned, a + y)
KG_REDUCE_SYNC(min, unsigned, a < y ? a : y)
KG_REDUCE_SYNC(max, unsigned, a > y ? a : y)
KG_REDUCE_SYNC(and, unsigned, a& y)
KG_REDUCE_SYNC(or, unsigned, a | y)
KG_REDUCE_SYNC(xor, unsigned, a ^ y)
template <class Mask>
KG_DEVICE int __reduce_add_sync(Mask mask, int x) {
  return static_cast<int>(__reduce_add_sync(mask, static_cast<unsigned>(x)));
}
KG_REDUCE_SYNC(min, int, a < y ? a : y)
KG_REDUCE_SYNC(max, int, a > y ? a : y)
#undef KG_REDUCE_SYNC
#endif
