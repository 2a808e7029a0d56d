#pragma once
/// HIP dialect: clang for amdgcn, without the HIP headers, which take several times as long as the rest of a
/// compilation.
#include "device/types.hpp"

#define KG_DEVICE __attribute__((device, always_inline)) inline
/// For lambdas: keeps captured values in registers.
#define KG_INLINE __attribute__((always_inline))
#define KG_SHARED __attribute__((shared))
/// A constant table in global memory, which lanes index differently.
#define KG_TABLE static constexpr __attribute__((device))
#define KG_UNROLL _Pragma("unroll")
#define KG_NO_UNROLL _Pragma("nounroll")
#define KG_SHORT_LOOP
/// Shared memory that on CUDA may exceed the static limit and is sized by the launch. Here it is static.
#define KG_SHARED_BLOCK(name, bytes) __attribute__((shared, aligned(16))) unsigned char name[bytes]
/// Defines a kernel exported as `name`, for at most `block` threads a block.
#define KG_KERNEL(block, name, ...) \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, block))) void name(__VA_ARGS__)
/// KG_KERNEL whose registers allow the occupancy that its manifest names.
#define KG_RESIDENT_KERNEL(block, occupancy, name, ...)                                                   \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, block) KG_OCCUPANCY_##occupancy)) void \
  name(__VA_ARGS__)
/// At least two waves per SIMD, which on CDNA is two blocks of 256 threads per compute unit: one works while
/// the other waits. Older gfx9 targets have 256 registers, too few for two waves.
#if defined(__GFX9__) && !defined(__gfx90a__) && !defined(__gfx940__) && !defined(__gfx941__) && \
    !defined(__gfx942__) && !defined(__gfx950__)
#define KG_OCCUPANCY_two_blocks_two_waves
#else
#define KG_OCCUPANCY_two_blocks_two_waves , amdgpu_waves_per_eu(2)
#endif
/// For kernels whose largest tiles need more than half of the registers on gfx940 and later; there they may use all.
#if defined(__gfx90a__)
#define KG_OCCUPANCY_two_waves_gfx90a , amdgpu_waves_per_eu(2)
#else
#define KG_OCCUPANCY_two_waves_gfx90a
#endif
#define KG_OCCUPANCY_two_blocks_two_waves_gfx90a KG_OCCUPANCY_two_waves_gfx90a
/// On AMD GPUs the compiler decides.
#define KG_OCCUPANCY_two_blocks
#define KG_OCCUPANCY_three_halves
#define KG_OCCUPANCY_twice

// Math functions of ROCm's device library (ocml), declared here instead of including its header.
#define KG_OCML_1(name)                                                         \
  extern "C" __attribute__((device, const)) float __ocml_##name##_f32(float);   \
  extern "C" __attribute__((device, const)) double __ocml_##name##_f64(double); \
  namespace kg::native {                                                        \
  KG_DEVICE float name(float x) { return __ocml_##name##_f32(x); }              \
  KG_DEVICE double name(double x) { return __ocml_##name##_f64(x); }            \
  }
KG_OCML_1(exp)
KG_OCML_1(log)
KG_OCML_1(sin)
KG_OCML_1(cos)
KG_OCML_1(tanh)
KG_OCML_1(erf)
KG_OCML_1(erfc)
KG_OCML_1(sqrt)
#undef KG_OCML_1
extern "C" __attribute__((device, const)) double __ocml_expm1_f64(double);
extern "C" __attribute__((device, const)) float __ocml_pow_f32(float, float);
extern "C" __attribute__((device, const)) double __ocml_pow_f64(double, double);

namespace kg {

KG_DEVICE void begin_kernel() {}
inline constexpr bool is_gpu = true;
/// Whether unaligned word loads are allowed.
inline constexpr bool has_unaligned_loads = true;
/// Every operand is accessed 16 bytes at a time, the widest access there is.
inline constexpr bool one_access_per_pack = false;
/// 16-byte loads that a thread keeps in flight if it does little work per load.
inline constexpr u32 loads_in_flight = 4;
/// Stages of a matrix product's panels in shared memory: a single stage leaves room for more blocks.
inline constexpr u32 panel_stages = 1;
KG_DEVICE u32 thread_index() { return __builtin_amdgcn_workitem_id_x(); }
KG_DEVICE u32 thread_index_y() { return __builtin_amdgcn_workitem_id_y(); }
KG_DEVICE u32 block_size_y() { return __builtin_amdgcn_workgroup_size_y(); }
KG_DEVICE u32 block_index() { return __builtin_amdgcn_workgroup_id_x(); }
KG_DEVICE u32 block_size() { return __builtin_amdgcn_workgroup_size_x(); }
KG_DEVICE u32 grid_size() { return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(); }
/// Threads of the grid. Launches store their number, not that of blocks: grid_size() divides.
KG_DEVICE u64 grid_threads() { return __builtin_amdgcn_grid_size_x(); }
/// Threads per wave. kernel-gen defines this: from version 22 on, clang has no macro for it.
KG_DEVICE u32 wave_size() { return KERNELGEN_WAVE_SIZE; }
KG_DEVICE void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// sync() for the threads of a wave. All of them must call it.
KG_DEVICE void sync_wave() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

/// A scheduling barrier. Without it, the compiler interleaves many comparisons, whose masks do not all fit
/// the scalar registers.
KG_DEVICE void sched_barrier() { __builtin_amdgcn_sched_barrier(0); }
/// sched_barrier() after every fourth step of an unrolled loop; the masks of four steps fit.
KG_DEVICE void sched_barrier_every_4(int step) {
  if (step % 4 == 3) sched_barrier();
}
/// Hides the value of x, which is uniform, from the compiler, so that expressions of x are recomputed in each
/// iteration instead of being kept in scalar registers across the loop.
KG_DEVICE u32 uniform_optimization_barrier(u32 x) {
  asm volatile("" : "+s"(x));
  return x;
}
/// Whether uniform_pointer() returns a pointer in scalar registers.
inline constexpr bool has_scalar_pointers = true;
/// p, a pointer to global memory that is uniform across the block, in scalar registers and opaque to the
/// compiler. Each thread adds a 32-bit offset to it in the access itself, instead of updating a
/// 64-bit address.
template <class T>
KG_DEVICE const T* uniform_pointer(const T* p) {
  const u64 bits = reinterpret_cast<u64>(p);
  const u32 low = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(bits))),
            high = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(bits >> 32)));
  u64 known = static_cast<u64>(high) << 32 | low;
  asm volatile("" : "+s"(known));
  return (const T*)(const char*)(__attribute__((address_space(1))) const char*)known;
}
/// x in a vector register, hidden from the compiler: its fields are not unpacked early into more registers, and a uniform x does
/// not occupy a scalar register.
KG_DEVICE u32 keep_in_vector_register(u32 x) {
  asm("" : "+v"(x));
  return x;
}

/// Hides the value of x from the compiler, so that expressions of x are computed here and not hoisted out of
/// a loop, where they would occupy registers.
template <class X>
KG_DEVICE X optimization_barrier(X x) {
  asm volatile("" : "+v"(x));
  return x;
}

template <class To, class From>
KG_DEVICE To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

namespace native {
/// The word of lane `lane`, which must be an active lane of this thread's wave.
KG_DEVICE u32 lane_word(u32 word, u32 lane) {
  return static_cast<u32>(__builtin_amdgcn_ds_bpermute(static_cast<int>(lane * 4), static_cast<int>(word)));
}
template <int control>
KG_DEVICE u32 moved_in_row(u32 word) {
  return static_cast<u32>(__builtin_amdgcn_mov_dpp(static_cast<int>(word), control, 0xf, 0xf, true));
}
/// The word of lane `lane` ^ `mask`, where `lane` is this thread's lane. A single-bit mask known at compile
/// time bypasses the LDS; usually the instruction that uses the word reads it directly (DPP).
KG_DEVICE u32 lane_xor_word(u32 word, u32 lane, u32 mask) {
  if (__builtin_constant_p(mask)) {
#if defined(__GFX9__)
    // DPP rows have 16 lanes. Masks 1 and 2 permute quads; 4 mirrors half rows and then mirrors their quads
    // back.
    if (mask == 1) return moved_in_row<0xb1>(word);
    if (mask == 2) return moved_in_row<0x4e>(word);
    if (mask == 4) return moved_in_row<0x1b>(moved_in_row<0x141>(word));
    if (mask == 8) return moved_in_row<0x128>(word);
    // Uses the LDS, but needs no address.
    if (mask == 16) return static_cast<u32>(__builtin_amdgcn_ds_swizzle(static_cast<int>(word), 0x401f));
#else
    if (mask == 1) return moved_in_row<0x161>(word);
    if (mask == 2) return moved_in_row<0x162>(word);
    if (mask == 4) return moved_in_row<0x164>(word);
    if (mask == 8) return moved_in_row<0x168>(word);
    if (mask == 16) return __builtin_amdgcn_permlanex16(word, word, 0x76543210, 0xfedcba98, false, false);
#endif
  }
  return lane_word(word, lane ^ mask);
}
/// The word of the wave's first active lane, in a scalar register.
KG_DEVICE u32 first_lane(u32 word) {
  return static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(word)));
}
/// x, which is the same for all threads of a wave. Makes branches on it scalar, so that no lane is masked.
KG_DEVICE bool uniform(bool x) { return first_lane(x) != 0; }
/// There are about a hundred scalar registers. Arguments are loaded into up to sixteen of them at a time, and stay there.
inline constexpr bool args_in_lds = true;
/// Tells the compiler that these pointers are global, where it cannot trace them to the kernel's arguments.
template <class... T>
KG_DEVICE void in_global_memory(T*&... pointer) {
  using Global = __attribute__((address_space(1))) char*;
  ((pointer = (T*)(char*)(Global)(u64)pointer), ...);
}
/// Whether f8_to_f16() is faster than converting one element at a time.
inline constexpr bool widens_f8_by_pairs = true;
/// Converts four f8e4m3 to f16, two at a time. A byte's bits, moved to f16's fields, are the value times
/// 2^-8. Multiplied by 35840, only the bit pattern of NaN becomes infinite; 0 times infinity is NaN and
/// propagates through the addition.
KG_DEVICE void f8_to_f16(u32 word, u32& low, u32& high) {
  typedef i16 Bits __attribute__((ext_vector_type(2)));
  typedef _Float16 Pair __attribute__((ext_vector_type(2)));
  const auto widen = [](u32 bytes) KG_INLINE {
    const u32 spread = bit_cast<u32>(bit_cast<Bits>(bytes) >> Bits{1, 1}) & 0xbfffbfff;
    const Pair x = bit_cast<Pair>(spread);
    const Pair value = x * Pair{256, 256}, check = x * Pair{35840, 35840};
#if __has_builtin(__builtin_elementwise_fma)  // clang 17
    return bit_cast<u32>(__builtin_elementwise_fma(check, Pair{0, 0}, value));
#else
    return bit_cast<u32>(check * Pair{0, 0} + value);
#endif
  };
  // Moves bytes to the high bytes of halves, zeros to the low bytes
  constexpr u32 first_two = 0x010c000c, others = 0x030c020c;
  low = widen(__builtin_amdgcn_perm(0, word, first_two));
  high = widen(__builtin_amdgcn_perm(0, word, others));
}
/// Packs the low (or high) halves of two words into one: a's half in the low 16 bits.
KG_DEVICE u32 low_halves(u32 a, u32 b) { return __builtin_amdgcn_perm(b, a, 0x05040100); }
KG_DEVICE u32 high_halves(u32 a, u32 b) { return __builtin_amdgcn_perm(b, a, 0x07060302); }
/// Two words in one register.
KG_DEVICE u64 pair(u32 low, u32 high) { return low | static_cast<u64>(high) << 32; }
/// One bit per lane of this thread's wave: the value it passed. All of them must call this.
#if KERNELGEN_WAVE_SIZE == 64
using LaneBits = u64;
#else
using LaneBits = u32;
#endif
KG_DEVICE LaneBits ballot(bool value) {
  constexpr int not_equal = 33;  // LLVM's code of the comparison; clang 15 has no builtin named ballot
  return static_cast<LaneBits>(__builtin_amdgcn_uicmp(static_cast<u32>(value), 0u, not_equal));
}
KG_DEVICE u32 count_bits(LaneBits bits) { return static_cast<u32>(__builtin_popcountll(bits)); }
/// This compiler may place loop tests anywhere.
KG_DEVICE void begin_iteration() {}
/// The lowest set bit. `bits` must not be 0.
KG_DEVICE u32 lowest_bit(LaneBits bits) { return static_cast<u32>(__builtin_ctzll(bits)); }
}  // namespace native

/// 16 bytes in four registers.
typedef u32 Quad __attribute__((ext_vector_type(4)));

namespace native {
/// The device library's gives +0 for -0.
KG_DEVICE double expm1(double x) { return __builtin_copysign(__ocml_expm1_f64(x), x); }
KG_DEVICE float pow(float x, float e) { return __ocml_pow_f32(x, e); }
KG_DEVICE double pow(double x, double e) { return __ocml_pow_f64(x, e); }
KG_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KG_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
KG_DEVICE float floor(float x) { return __builtin_floorf(x); }
KG_DEVICE double floor(double x) { return __builtin_floor(x); }
KG_DEVICE float ceil(float x) { return __builtin_ceilf(x); }
KG_DEVICE double ceil(double x) { return __builtin_ceil(x); }
KG_DEVICE float trunc(float x) { return __builtin_truncf(x); }
KG_DEVICE double trunc(double x) { return __builtin_trunc(x); }
KG_DEVICE float rint(float x) { return __builtin_rintf(x); }
KG_DEVICE float rough_reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
/// 2^x within one ulp; 0 if the result is subnormal.
#if __has_builtin(__builtin_amdgcn_exp2f)  // clang 18
KG_DEVICE float rough_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
#else
KG_DEVICE float rough_exp2(float x) { return __builtin_exp2f(x); }
#endif
KG_DEVICE float maximum(float a, float b) { return __builtin_fmaxf(a, b); }
KG_DEVICE u32 multiply_high(u32 a, u32 b) { return static_cast<u32>((static_cast<u64>(a) * b) >> 32); }
KG_DEVICE float widen(f16 x) { return static_cast<float>(bit_cast<_Float16>(x.bits)); }
/// x in a form that hides what computed it. clang would round a product by v_fma_mixlo_f16 a, b, +0, which makes -0 +0
/// (llvm-project#214544), and compute a quotient of two f16 as one, a unit off in places (llvm-project#109295).
KG_DEVICE float hidden_from_rounding(float x) {
  if (__builtin_constant_p(x)) return x;
#if defined(__gfx90a__) || defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || \
    defined(__gfx950__) || defined(__gfx9_4_generic__)
  // Assembly here would keep what comes before out of these GPUs' packed f32 instructions. Adding -0 changes no number.
  float zero = -0.0f;
  asm("" : "+s"(zero));
  return x + zero;
#else
  asm("" : "+v"(x));
  return x;
#endif
}
KG_DEVICE f16 to_f16(float x) { return {bit_cast<u16>(static_cast<_Float16>(hidden_from_rounding(x)))}; }
}  // namespace native

}  // namespace kg

#include "device/narrow.hpp"
