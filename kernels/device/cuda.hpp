#pragma once
/// CUDA dialect: nvcc.
#include "device/types.hpp"

#define KG_DEVICE __device__ __forceinline__
/// For lambdas: keeps captured values in registers.
#define KG_INLINE __attribute__((always_inline))
#define KG_SHARED __shared__
/// A constant table in global memory: constant memory serves one address of a warp at a time.
#define KG_TABLE static const __device__
#define KG_UNROLL _Pragma("unroll")
#define KG_NO_UNROLL _Pragma("unroll 1")
#define KG_SHORT_LOOP
/// Dynamic shared memory, for sizes above the static limit; the launch sets the size. Aligned to 1024 bytes.
#define KG_SHARED_BLOCK(name, bytes) extern __shared__ __align__(1024) unsigned char name[]
/// Defines a kernel exported as `name`, for at most `block` threads a block.
#define KG_KERNEL(block, name, ...) extern "C" __global__ void __launch_bounds__(block) name(__VA_ARGS__)
/// KG_KERNEL whose registers allow the occupancy that its manifest names.
#define KG_RESIDENT_KERNEL(block, occupancy, name, ...) \
  extern "C" __global__ void KG_OCCUPANCY_##occupancy(block) name(__VA_ARGS__)
/// Two blocks per multiprocessor hide each other's latency. Without a bound, the compiler uses registers for one.
#define KG_OCCUPANCY_two_blocks(block) __launch_bounds__(block, 2)
#define KG_OCCUPANCY_two_blocks_two_waves(block) KG_OCCUPANCY_two_blocks(block)
#define KG_OCCUPANCY_two_blocks_two_waves_gfx90a(block) KG_OCCUPANCY_two_blocks(block)
#define KG_OCCUPANCY_two_waves_gfx90a(block) __launch_bounds__(block)
/// Registers for one and a half times as many threads: 768 per multiprocessor for blocks of 512.
#define KG_OCCUPANCY_three_halves(block) __launch_bounds__((block) * 3 / 2 < 1024 ? (block) * 3 / 2 : 1024)
/// Registers for twice as many threads: 1024 per multiprocessor for blocks of 512. Rows without operands need no more.
#define KG_OCCUPANCY_twice(block) __launch_bounds__((block) * 2 < 1024 ? (block) * 2 : 1024)

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
/// Tells the loader that every kernel of this module may be launched before the preceding work has completed
/// (programmatic dependent launch).
extern "C" __device__ unsigned char kg_awaits_earlier_work = 1;
#endif

namespace kg {

/// The first call of every kernel. From sm_90 on, the next kernel of the stream may start while this one
/// runs, and this one may have started early. Waits until all preceding work has completed and is visible.
KG_DEVICE void begin_kernel() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

inline constexpr bool is_gpu = true;
/// Whether unaligned word loads are allowed.
inline constexpr bool has_unaligned_loads = false;
/// Two separate 16-byte stores would leave each memory sector half written in between.
inline constexpr bool one_access_per_pack = true;
/// 16-byte loads that a thread keeps in flight if it does little work per load.
inline constexpr u32 loads_in_flight = 8;
/// Stages of a matrix product's panels in shared memory: one is written while another is read.
inline constexpr u32 panel_stages = 2;
KG_DEVICE u32 thread_index() { return threadIdx.x; }
KG_DEVICE u32 thread_index_y() { return threadIdx.y; }
KG_DEVICE u32 block_size_y() { return blockDim.y; }
KG_DEVICE u32 block_index() { return blockIdx.x; }
KG_DEVICE u32 block_size() { return blockDim.x; }
KG_DEVICE u32 grid_size() { return gridDim.x; }
KG_DEVICE u64 grid_threads() { return static_cast<u64>(gridDim.x) * blockDim.x; }
/// Threads per wave.
KG_DEVICE u32 wave_size() { return warpSize; }
KG_DEVICE void sync() { __syncthreads(); }
/// sync() for the threads of a wave. All of them must call it.
KG_DEVICE void sync_wave() { __syncwarp(); }

/// No-ops: only the AMD compiler needs scheduling barriers here.
KG_DEVICE void sched_barrier() {}
KG_DEVICE void sched_barrier_every_4(int) {}
KG_DEVICE u32 uniform_optimization_barrier(u32 x) { return x; }
/// Whether uniform_pointer() returns a pointer in scalar registers.
inline constexpr bool has_scalar_pointers = false;
/// p, a pointer to global memory that is uniform across the block.
template <class T>
KG_DEVICE const T* uniform_pointer(const T* p) {
  return p;
}
KG_DEVICE u32 keep_in_vector_register(u32 x) { return x; }

/// Hides the value of x from the compiler, so that expressions of x are computed here and not hoisted out of
/// a loop, where they would occupy registers.
KG_DEVICE u32 optimization_barrier(u32 x) {
  asm volatile("" : "+r"(x));
  return x;
}
KG_DEVICE i64 optimization_barrier(i64 x) {
  asm volatile("" : "+l"(x));
  return x;
}

template <class To, class From>
KG_DEVICE To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

namespace native {
/// The word of lane `lane`, which must be an active lane of this thread's wave.
KG_DEVICE u32 lane_word(u32 word, u32 lane) { return __shfl_sync(~0u, word, static_cast<int>(lane)); }
/// The word of lane `lane` ^ `mask`, where `lane` is this thread's lane.
KG_DEVICE u32 lane_xor_word(u32 word, u32 lane, u32 mask) { return lane_word(word, lane ^ mask); }
/// The word of the wave's first lane.
KG_DEVICE u32 first_lane(u32 word) { return lane_word(word, 0); }
/// x, which is the same for all threads of a wave.
KG_DEVICE bool uniform(bool x) { return x; }
/// Arguments are in constant memory and occupy no registers.
inline constexpr bool args_in_lds = false;
template <class... T>
KG_DEVICE void in_global_memory(T*&...) {}
/// Whether f8_to_f16() is faster than converting one element at a time.
inline constexpr bool widens_f8_by_pairs = false;
KG_DEVICE void f8_to_f16(u32, u32&, u32&) {}
/// Packs the low (or high) halves of two words into one: a's half in the low 16 bits.
KG_DEVICE u32 low_halves(u32 a, u32 b) { return __byte_perm(a, b, 0x5410); }
KG_DEVICE u32 high_halves(u32 a, u32 b) { return __byte_perm(a, b, 0x7632); }
/// Two words in one register. By shifts, ptxas 13.0 loses a half where the words are composed of bf16 (bfi.b64).
KG_DEVICE u64 pair(u32 low, u32 high) {
  u64 both;
  asm("mov.b64 %0, {%1, %2};" : "=l"(both) : "r"(low), "r"(high));
  return both;
}
/// One bit per lane of this thread's wave: the value it passed. All of them must call this.
using LaneBits = u32;
KG_DEVICE LaneBits ballot(bool value) { return __ballot_sync(~0u, value); }
KG_DEVICE u32 count_bits(LaneBits bits) { return static_cast<u32>(__popc(bits)); }
/// Keeps a loop's test at the start of its body, in instructions that are already cached. The compiler would
/// move it to the end, and the last iteration of a long body would wait for an instruction fetch.
KG_DEVICE void begin_iteration() { __syncwarp(); }
/// The lowest set bit. `bits` must not be 0.
KG_DEVICE u32 lowest_bit(LaneBits bits) { return static_cast<u32>(__ffs(static_cast<int>(bits))) - 1; }
}  // namespace native

/// 16 bytes in four registers.
#if defined(__SIZEOF_INT128__)
/// Stored as one number: the compiler does not merge all stores of four words.
struct alignas(16) Quad {
  u32 x, y, z, w;

  Quad() = default;
  Quad(const Quad&) = default;
  KG_DEVICE Quad(u32 x, u32 y, u32 z, u32 w) : x(x), y(y), z(z), w(w) {}
  KG_DEVICE Quad& operator=(const Quad& other) {
    const unsigned __int128 high = native::pair(other.z, other.w);
    *reinterpret_cast<unsigned __int128*>(this) = high << 64 | native::pair(other.x, other.y);
    return *this;
  }
};
#else
using Quad = uint4;  // NVRTC has no such numbers unless it is told to
#endif

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
/// 1 / x within about one ulp, for normal results.
KG_DEVICE float rough_reciprocal(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// 2^x within two ulp; 0 if the result is subnormal.
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

#if __CUDA_ARCH__ >= 800
/// device/arithmetic.hpp's for f32, in one instruction.
KG_DEVICE f32 maximum(f32 a, f32 b) {
  f32 y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
KG_DEVICE f32 minimum(f32 a, f32 b) {
  f32 y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
#endif

}  // namespace kg

#include "device/narrow.hpp"
