#pragma once
/// Takes the place of the kernels' dialect: an AMD GPU emulated by the host, so that engines of GPUs run without one. What
/// the hardware leaves open is so here: shared memory is not cleared, waves run in any order.
#include <cmath>

#include "block.hpp"
#include "device/types.hpp"

#define KG_GPU 1
#define KG_DEVICE inline
#define KG_INLINE
#define KG_SHARED static
#define KG_UNROLL
#define KG_NO_UNROLL
#define KG_SHORT_LOOP
#define KG_SHARED_BLOCK(name, bytes) static unsigned char name[bytes] __attribute__((aligned(16)))

namespace kg {

inline constexpr bool has_scalar_pointers = true, is_gpu = true, one_access_per_pack = false;
#if defined(SIMULATED_ASYNC_COPY)
inline constexpr bool has_unaligned_loads = false;
#else
inline constexpr bool has_unaligned_loads = true;
#endif
inline constexpr u32 loads_in_flight = 4, panel_stages = 1;
typedef u32 Quad __attribute__((ext_vector_type(4)));

KG_DEVICE void begin_kernel() {}
KG_DEVICE u32 thread_index() { return simulated::block.thread; }
KG_DEVICE u32 block_index() { return simulated::block.index; }
KG_DEVICE u32 block_size() { return simulated::block.threads; }
KG_DEVICE u32 grid_size() { return simulated::block.grid; }
KG_DEVICE u64 grid_threads() { return static_cast<u64>(simulated::block.grid) * simulated::block.threads; }
KG_DEVICE constexpr u32 wave_size() { return simulated::wave_size; }
KG_DEVICE void sync() { simulated::block.sync(); }
KG_DEVICE void sync_wave() { simulated::block.sync_wave(); }
KG_DEVICE void sched_barrier() {}
KG_DEVICE void sched_barrier_every_4(int) {}
KG_DEVICE u32 uniform_optimization_barrier(u32 x) { return x; }
KG_DEVICE u32 keep_in_vector_register(u32 x) { return x; }
template <class X>
KG_DEVICE X optimization_barrier(X x) {
  return x;
}
template <class T>
KG_DEVICE const T* uniform_pointer(const T* p) {
  return p;
}
template <class To, class From>
KG_DEVICE To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

namespace native {

using LaneBits = u64;
inline constexpr bool args_in_lds = true;
inline constexpr bool widens_f8_by_pairs = true;

KG_DEVICE u32 lane_word(u32 word, u32 lane) { return simulated::block.exchange(word, lane); }
KG_DEVICE u32 lane_xor_word(u32 word, u32 lane, u32 mask) { return lane_word(word, lane ^ mask); }
KG_DEVICE u32 first_lane(u32 word) { return lane_word(word, 0); }
KG_DEVICE bool uniform(bool x) { return x; }
KG_DEVICE LaneBits ballot(bool value) {
  simulated::block.gather(value);
  LaneBits bits = 0;
  for (u32 lane = 0; lane < wave_size(); ++lane)
    bits |= LaneBits{simulated::block.given_by<bool>(lane)} << lane;
  simulated::block.sync_wave();
  return bits;
}
template <class... T>
KG_DEVICE void in_global_memory(T*&...) {}
KG_DEVICE u32 low_halves(u32 a, u32 b) { return (a & 0xffff) | b << 16; }
KG_DEVICE u32 high_halves(u32 a, u32 b) { return a >> 16 | (b & 0xffff0000); }
KG_DEVICE u64 pair(u32 low, u32 high) { return low | static_cast<u64>(high) << 32; }
KG_DEVICE void begin_iteration() {}
KG_DEVICE u32 lowest_bit(LaneBits bits) { return static_cast<u32>(__builtin_ctzll(bits)); }
KG_DEVICE u32 multiply_high(u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }

KG_DEVICE float fma(float a, float b, float c) { return std::fma(a, b, c); }
KG_DEVICE double fma(double a, double b, double c) { return std::fma(a, b, c); }
KG_DEVICE float widen(f16 x) { return static_cast<float>(bit_cast<_Float16>(x.bits)); }
KG_DEVICE f16 to_f16(float x) { return {bit_cast<u16>(static_cast<_Float16>(x))}; }
/// A byte's bits, as those of f16, are the number times 2^-8.
KG_DEVICE u32 f8_as_f16(u32 byte) {
  if ((byte & 0x7f) == 0x7f) return 0x7e00;
  const f16 scaled{static_cast<u16>((byte & 0x80) << 8 | (byte & 0x7f) << 7)};
  return to_f16(widen(scaled) * 256).bits;
}
KG_DEVICE void f8_to_f16(u32 word, u32& low, u32& high) {
  low = f8_as_f16(word & 0xff) | f8_as_f16(word >> 8 & 0xff) << 16;
  high = f8_as_f16(word >> 16 & 0xff) | f8_as_f16(word >> 24) << 16;
}
KG_DEVICE float rough_reciprocal(float x) { return 1 / x; }
KG_DEVICE float rough_exp2(float x) { return std::exp2(x); }
KG_DEVICE float maximum(float a, float b) { return std::fmax(a, b); }
#define SIMULATED_MATH(name)                             \
  KG_DEVICE float name(float x) { return std::name(x); } \
  KG_DEVICE double name(double x) { return std::name(x); }
SIMULATED_MATH(exp)
SIMULATED_MATH(expm1)
SIMULATED_MATH(log)
SIMULATED_MATH(sin)
SIMULATED_MATH(cos)
SIMULATED_MATH(tanh)
SIMULATED_MATH(erf)
SIMULATED_MATH(erfc)
SIMULATED_MATH(sqrt)
SIMULATED_MATH(floor)
SIMULATED_MATH(ceil)
SIMULATED_MATH(trunc)
SIMULATED_MATH(rint)
KG_DEVICE float pow(float x, float e) { return std::pow(x, e); }
KG_DEVICE double pow(double x, double e) { return std::pow(x, e); }

}  // namespace native
}  // namespace kg

#include "matrix_units.hpp"
