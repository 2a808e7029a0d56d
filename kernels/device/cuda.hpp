#pragma once
/// CUDA dialect: nvcc, the other platform HIP names.
#include "device/types.hpp"

#define KG_DEVICE __device__ __forceinline__
/// On a lambda: what it captures stays in registers.
#define KG_INLINE __attribute__((always_inline))
#define KG_SHARED __shared__
#define KG_UNROLL _Pragma("unroll")
#define KG_NO_UNROLL _Pragma("unroll 1")
#define KG_SHORT_LOOP
/// Shared memory of more than a kernel may declare: its launch says how much. Begins
/// at a multiple of 1024 bytes.
#define KG_SHARED_BLOCK(name, bytes) extern __shared__ __align__(1024) unsigned char name[]
/// Defines a kernel callable by `name`, for blocks of up to `block` threads.
#define KG_KERNEL(block, name, ...) extern "C" __global__ void KG_BOUNDS(block) name(__VA_ARGS__)
/// The same, of which a multiprocessor is to have room for so many blocks: they limit a thread's registers.
#define KG_RESIDENT_KERNEL(block, blocks, name, ...) \
  extern "C" __global__ void __launch_bounds__(block, blocks) name(__VA_ARGS__)
/// Which blocks a module's kernels are compiled for; headers of those that are short of registers have another.
#define KG_BOUNDS(block) __launch_bounds__(block)
/// Two blocks of up to 256 threads on a multiprocessor.
#define KG_BOUNDS_OF_TWO(block) __launch_bounds__(block, 512 / block)
/// There is room for two warps in any case.
#define KG_BOUNDS_OF_TWO_WAVES(block) __launch_bounds__(block)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Says to who loads the module that each of its kernels may be launched before the work before it has ended.
extern "C" __device__ unsigned char kg_awaits_earlier_work = 1;
#endif

namespace kg {

/// What a kernel does first. From sm_90 on the next kernel of the stream may be put in place while this one runs, as this one
/// may have been: here it waits until all before it has ended and can be seen.
KG_DEVICE void begin_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

inline constexpr bool is_gpu = true;
/// Whether words are loaded from any address.
inline constexpr bool loads_from_anywhere = false;
/// Two stores of 16 bytes side by side leave each memory sector half written in between.
inline constexpr bool one_access_per_pack = true;
/// Loads of 16 bytes that a thread has under way where its work on each is short.
inline constexpr u32 loads_in_flight = 8;
/// Parts of a matrix product's operands that shared memory holds at a time: the next is written while one is read.
inline constexpr u32 panel_stages = 2;
KG_DEVICE u32 thread_index() { return threadIdx.x; }
KG_DEVICE u32 thread_index_y() { return threadIdx.y; }
KG_DEVICE u32 block_size_y() { return blockDim.y; }
KG_DEVICE u32 block_index() { return blockIdx.x; }
KG_DEVICE u32 block_size() { return blockDim.x; }
KG_DEVICE u32 grid_size() { return gridDim.x; }
/// Threads that run in step.
KG_DEVICE u32 wave_size() { return warpSize; }
KG_DEVICE void sync() { __syncthreads(); }
/// The same for the threads of a wave, all of which call it.
KG_DEVICE void sync_wave() { __syncwarp(); }

/// Only the AMD compiler needs to be kept from mixing what comes before and after.
KG_DEVICE void separate() {}
KG_DEVICE void separate_fours(int) {}
KG_DEVICE u32 worked_out_again(u32 x) { return x; }
/// Whether what everyones_pointer() gives takes no registers of a thread's own.
inline constexpr bool has_scalar_pointers = false;
/// p, of global memory and the same for all threads.
template <class T>
KG_DEVICE const T* everyones_pointer(const T* p) {
  return p;
}
KG_DEVICE u32 in_one_piece(u32 x) { return x; }

/// x in a form of which nothing is known earlier: what follows from it is worked out here, and not ahead of a loop, whose
/// registers it would take.
KG_DEVICE u32 known_from_here(u32 x) {
  asm volatile("" : "+r"(x));
  return x;
}

template <class To, class From>
KG_DEVICE To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

namespace native {
/// The word of lane `lane`, which is in this thread's wave and runs.
KG_DEVICE u32 lane_word(u32 word, u32 lane) { return __shfl_sync(~0u, word, static_cast<int>(lane)); }
/// The word of the lane whose number differs from `lane`, this thread's, in the bits of `mask`.
KG_DEVICE u32 lane_xor_word(u32 word, u32 lane, u32 mask) { return lane_word(word, lane ^ mask); }
/// The word of the wave's first lane.
KG_DEVICE u32 first_lane(u32 word) { return lane_word(word, 0); }
/// x, which is the same for all threads of a wave.
KG_DEVICE bool everyones(bool x) { return x; }
/// Arguments are constants in memory: they take no registers.
inline constexpr bool arguments_are_parked = false;
template <class... T>
KG_DEVICE void in_global_memory(T*&...) {}
/// Whether f8_to_f16() is quicker than one element at a time.
inline constexpr bool widens_f8_by_pairs = false;
KG_DEVICE void f8_to_f16(u32, u32&, u32&) {}
/// The lower halves of two words, or the higher ones, in one: a's below b's.
KG_DEVICE u32 low_halves(u32 a, u32 b) { return __byte_perm(a, b, 0x5410); }
KG_DEVICE u32 high_halves(u32 a, u32 b) { return __byte_perm(a, b, 0x7632); }
/// A bit for each lane of this thread's wave: what it gave. All of them call this.
using LaneBits = u32;
KG_DEVICE LaneBits ballot(bool value) { return __ballot_sync(~0u, value); }
KG_DEVICE u32 count_bits(LaneBits bits) { return static_cast<u32>(__popc(bits)); }
/// Keeps the test of a loop that it begins there, among instructions that are at hand, where the compiler would put it behind
/// the body: the last turn of a long body would wait for them to come from memory.
KG_DEVICE void begin_turn() { __syncwarp(); }
/// Of bits that are not all 0.
KG_DEVICE u32 lowest_bit(LaneBits bits) { return static_cast<u32>(__ffs(static_cast<int>(bits))) - 1; }
}  // namespace native

/// 16 bytes as one register quad.
using Quad = uint4;

namespace native {
#define KG_LIBDEVICE_1(name)                             \
  KG_DEVICE float name(float x) { return ::name##f(x); } \
  KG_DEVICE double name(double x) { return ::name(x); }
KG_LIBDEVICE_1(exp)
KG_LIBDEVICE_1(expm1)
KG_LIBDEVICE_1(log)
KG_LIBDEVICE_1(sin)
KG_LIBDEVICE_1(cos)
KG_LIBDEVICE_1(tanh)
KG_LIBDEVICE_1(erf)
KG_LIBDEVICE_1(erfc)
KG_LIBDEVICE_1(sqrt)
KG_LIBDEVICE_1(floor)
KG_LIBDEVICE_1(ceil)
KG_LIBDEVICE_1(trunc)
KG_LIBDEVICE_1(rint)
#undef KG_LIBDEVICE_1
KG_DEVICE float pow(float x, float e) { return ::powf(x, e); }
KG_DEVICE double pow(double x, double e) { return ::pow(x, e); }
KG_DEVICE float fma(float a, float b, float c) { return ::fmaf(a, b, c); }
KG_DEVICE double fma(double a, double b, double c) { return ::fma(a, b, c); }
/// To one unit of the last place or so, of normal numbers.
KG_DEVICE float rough_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// 2^x to two units of the last place; 0 where that is no normal number.
KG_DEVICE float rough_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
KG_DEVICE float maximum(float a, float b) { return ::fmaxf(a, b); }
KG_DEVICE u32 multiply_high(u32 a, u32 b) { return __umulhi(a, b); }
KG_DEVICE float widen(f16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
KG_DEVICE f16 to_f16(float x) {
  f16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
#if __CUDA_ARCH__ >= 800
#define KG_NATIVE_BF16
KG_DEVICE bf16 to_bf16(float x) {
  bf16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
#endif
#if __CUDA_ARCH__ >= 890
#define KG_NATIVE_F8
KG_DEVICE float widen(f8e4m3 x) {
  u32 pair;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(static_cast<u16>(x.bits)));
  return widen(f16{static_cast<u16>(pair)});
}
KG_DEVICE f8e4m3 to_f8e4m3(float x) {
  u16 pair;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(x));
  return {static_cast<u8>(pair)};
}
#endif
}  // namespace native

}  // namespace kg

#include "device/narrow.hpp"
