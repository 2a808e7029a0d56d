#pragma once
/// HIP dialect: clang for amdgcn, without the HIP headers (they cost several times the compile itself).
#include "device/types.hpp"

#define KG_DEVICE __attribute__((device, always_inline)) inline
/// On a lambda: what it captures stays in registers.
#define KG_INLINE __attribute__((always_inline))
#define KG_SHARED __attribute__((shared))
#define KG_UNROLL _Pragma("unroll")
#define KG_NO_UNROLL _Pragma("nounroll")
#define KG_SHORT_LOOP
/// Shared memory of more than a kernel may declare on CUDA, where its launch says how much.
#define KG_SHARED_BLOCK(name, bytes) __attribute__((shared, aligned(16))) unsigned char name[bytes]
/// Defines a kernel callable by `name`, for blocks of up to `block` threads.
#define KG_KERNEL(block, name, ...)                                                                     \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, block) KG_BOUNDS(block))) void name( \
      __VA_ARGS__)
/// Of resident blocks only CUDA's compiler is told.
#define KG_RESIDENT_KERNEL(block, blocks, name, ...) KG_KERNEL(block, name, __VA_ARGS__)
/// What else a module's kernels are compiled for; headers of those that take many registers have another.
#define KG_BOUNDS(block)
/// Room for two waves of them on a SIMD, which on CDNA are two blocks of 256 threads on a compute unit: while one waits the
/// other works. Of 256 registers on older members of gfx9 two would have too few.
#if defined(__GFX9__) && !defined(__gfx90a__) && !defined(__gfx940__) && !defined(__gfx941__) && \
    !defined(__gfx942__) && !defined(__gfx950__)
#define KG_BOUNDS_OF_TWO(block)
#else
#define KG_BOUNDS_OF_TWO(block) , amdgpu_waves_per_eu(2)
#endif
/// The same for headers whose widest tiles need more than half of the registers from gfx940 on: there they have all.
#if defined(__gfx90a__)
#define KG_BOUNDS_OF_TWO_WAVES(block) KG_BOUNDS_OF_TWO(block)
#else
#define KG_BOUNDS_OF_TWO_WAVES(block)
#endif

// The math of ROCm's device library (ocml): one declaration each, no header.
#define KG_OCML_1(name)                                                         \
  extern "C" __attribute__((device, const)) float __ocml_##name##_f32(float);   \
  extern "C" __attribute__((device, const)) double __ocml_##name##_f64(double); \
  namespace kg::native {                                                        \
  KG_DEVICE float name(float x) { return __ocml_##name##_f32(x); }              \
  KG_DEVICE double name(double x) { return __ocml_##name##_f64(x); }            \
  }
KG_OCML_1(exp)
KG_OCML_1(expm1)
KG_OCML_1(log)
KG_OCML_1(sin)
KG_OCML_1(cos)
KG_OCML_1(tanh)
KG_OCML_1(erf)
KG_OCML_1(erfc)
KG_OCML_1(sqrt)
#undef KG_OCML_1
extern "C" __attribute__((device, const)) float __ocml_pow_f32(float, float);
extern "C" __attribute__((device, const)) double __ocml_pow_f64(double, double);

namespace kg {

KG_DEVICE void begin_kernel() {}
inline constexpr bool is_gpu = true;
/// Whether words are loaded from any address.
inline constexpr bool loads_from_anywhere = true;
/// Every operand is moved in accesses of 16 bytes, the widest there are.
inline constexpr bool one_access_per_pack = false;
/// Loads of 16 bytes that a thread has under way where its work on each is short.
inline constexpr u32 loads_in_flight = 4;
/// Parts of a matrix product's operands that shared memory holds at a time: little of it leaves room for more blocks.
inline constexpr u32 panel_stages = 1;
KG_DEVICE u32 thread_index() { return __builtin_amdgcn_workitem_id_x(); }
KG_DEVICE u32 thread_index_y() { return __builtin_amdgcn_workitem_id_y(); }
KG_DEVICE u32 block_size_y() { return __builtin_amdgcn_workgroup_size_y(); }
KG_DEVICE u32 block_index() { return __builtin_amdgcn_workgroup_id_x(); }
KG_DEVICE u32 block_size() { return __builtin_amdgcn_workgroup_size_x(); }
KG_DEVICE u32 grid_size() { return __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(); }
/// Threads that run in step. kernel-gen says how many when it compiles: clang has no macro for it from 22 on.
KG_DEVICE u32 wave_size() { return KERNELGEN_WAVE_SIZE; }
KG_DEVICE void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

/// The same for the threads of a wave, all of which call it.
KG_DEVICE void sync_wave() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

/// Keeps the compiler from mixing what comes before and after: the masks of many comparisons at once would not
/// fit the scalar registers.
KG_DEVICE void separate() { __builtin_amdgcn_sched_barrier(0); }
/// The same behind each fourth step of an unrolled loop: this many do fit.
KG_DEVICE void separate_fours(int step) {
  if (step % 4 == 3) separate();
}
/// x, which all threads have, in a form of which nothing is known: what follows from it is worked out in each turn of a
/// loop instead of being kept in scalar registers beside it.
KG_DEVICE u32 worked_out_again(u32 x) {
  asm volatile("" : "+s"(x));
  return x;
}
/// Whether what everyones_pointer() gives takes no registers of a thread's own.
inline constexpr bool has_scalar_pointers = true;
/// p, of global memory and the same for all threads, in scalar registers and in a form of which nothing is known: each
/// thread's access adds an offset of its own there, instead of moving on an address of its own.
template <class T>
KG_DEVICE const T* everyones_pointer(const T* p) {
  const u64 bits = reinterpret_cast<u64>(p);
  const u32 low = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(bits))),
            high = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(bits >> 32)));
  u64 known = static_cast<u64>(high) << 32 | low;
  asm volatile("" : "+s"(known));
  return (const T*)(const char*)(__attribute__((address_space(1))) const char*)known;
}
/// x, in a form of which nothing is known: what it holds is not taken apart before, into more registers.
KG_DEVICE u32 in_one_piece(u32 x) {
  asm("" : "+v"(x));
  return x;
}

/// x in a form of which nothing is known earlier: what follows from it is worked out here, and not ahead of a loop, whose
/// registers it would take.
template <class X>
KG_DEVICE X known_from_here(X x) {
  asm volatile("" : "+v"(x));
  return x;
}

template <class To, class From>
KG_DEVICE To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

namespace native {
/// The word of lane `lane`, which is in this thread's wave and runs.
KG_DEVICE u32 lane_word(u32 word, u32 lane) {
  return static_cast<u32>(__builtin_amdgcn_ds_bpermute(static_cast<int>(lane * 4), static_cast<int>(word)));
}
template <int control>
KG_DEVICE u32 moved_in_row(u32 word) {
  return static_cast<u32>(__builtin_amdgcn_mov_dpp(static_cast<int>(word), control, 0xf, 0xf, true));
}
/// The word of the lane whose number differs from `lane`, this thread's, in the bits of `mask`. Where that is one bit and
/// known when this is compiled it comes past the LDS, mostly by the instruction that uses it.
KG_DEVICE u32 lane_xor_word(u32 word, u32 lane, u32 mask) {
  if (__builtin_constant_p(mask)) {
#if defined(__GFX9__)
    // DPP's rows are of sixteen lanes: 1 and 2 permute quads, 4 mirrors halves of rows and mirrors their quads back.
    if (mask == 1) return moved_in_row<0xb1>(word);
    if (mask == 2) return moved_in_row<0x4e>(word);
    if (mask == 4) return moved_in_row<0x1b>(moved_in_row<0x141>(word));
    if (mask == 8) return moved_in_row<0x128>(word);
    // Through the LDS, but without an address.
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
/// The word of the wave's first lane that runs, in a scalar register.
KG_DEVICE u32 first_lane(u32 word) {
  return static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<int>(word)));
}
/// x, which is the same for all threads of a wave: what hangs on it is one jump, and no lane is masked.
KG_DEVICE bool everyones(bool x) { return first_lane(x) != 0; }
/// There are about a hundred scalar registers, and arguments stay in theirs, sixteen at a time.
inline constexpr bool arguments_are_parked = true;
/// Tells the compiler where pointers point that it cannot follow back to the kernel's arguments.
template <class... T>
KG_DEVICE void in_global_memory(T*&... pointer) {
  using Global = __attribute__((address_space(1))) char*;
  ((pointer = (T*)(char*)(Global)(u64)pointer), ...);
}
/// Whether f8_to_f16() is quicker than one element at a time.
inline constexpr bool widens_f8_by_pairs = true;
/// Four f8e4m3 as f16, by twos. A byte's bits, spread to f16's fields, are the value times 2^-8, which 35840 makes infinite
/// for the bits of NaN alone; 0 times that is NaN, and stays so whatever is added.
KG_DEVICE void f8_to_f16(u32 word, u32& low, u32& high) {
  typedef i16 Bits __attribute__((ext_vector_type(2)));
  typedef _Float16 Pair __attribute__((ext_vector_type(2)));
  const auto widen = [](u32 bytes) KG_INLINE {
    const u32 spread = bit_cast<u32>(bit_cast<Bits>(bytes) >> Bits{1, 1}) & 0xbfffbfff;
    const Pair x = bit_cast<Pair>(spread);
    return bit_cast<u32>(__builtin_elementwise_fma(x * Pair{35840, 35840}, Pair{0, 0}, x * Pair{256, 256}));
  };
  constexpr u32 first_two = 0x010c000c, others = 0x030c020c;  // as higher bytes of halves, with zeros below
  low = widen(__builtin_amdgcn_perm(0, word, first_two));
  high = widen(__builtin_amdgcn_perm(0, word, others));
}
/// The lower halves of two words, or the higher ones, in one: a's below b's.
KG_DEVICE u32 low_halves(u32 a, u32 b) { return __builtin_amdgcn_perm(b, a, 0x05040100); }
KG_DEVICE u32 high_halves(u32 a, u32 b) { return __builtin_amdgcn_perm(b, a, 0x07060302); }
/// A bit for each lane of this thread's wave: what it gave. All of them call this.
#if KERNELGEN_WAVE_SIZE == 64
using LaneBits = u64;
#else
using LaneBits = u32;
#endif
KG_DEVICE LaneBits ballot(bool value) {
  constexpr int not_equal = 33;  // LLVM's number of the comparison; clang 15 has no builtin of this name
  return static_cast<LaneBits>(__builtin_amdgcn_uicmp(static_cast<u32>(value), 0u, not_equal));
}
KG_DEVICE u32 count_bits(LaneBits bits) { return static_cast<u32>(__builtin_popcountll(bits)); }
/// This compiler's tests of loops may lie anywhere.
KG_DEVICE void begin_turn() {}
/// Of bits that are not all 0.
KG_DEVICE u32 lowest_bit(LaneBits bits) { return static_cast<u32>(__builtin_ctzll(bits)); }
}  // namespace native

/// 16 bytes as one register quad.
typedef u32 Quad __attribute__((ext_vector_type(4)));

namespace native {
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
/// 2^x to a unit of the last place; 0 where that is no normal number.
KG_DEVICE float rough_exp2(float x) { return __builtin_amdgcn_exp2f(x); }
KG_DEVICE float maximum(float a, float b) { return __builtin_fmaxf(a, b); }
KG_DEVICE u32 multiply_high(u32 a, u32 b) { return static_cast<u32>((static_cast<u64>(a) * b) >> 32); }
KG_DEVICE float widen(f16 x) { return static_cast<float>(bit_cast<_Float16>(x.bits)); }
KG_DEVICE f16 to_f16(float x) { return {bit_cast<u16>(static_cast<_Float16>(x))}; }
}  // namespace native

}  // namespace kg

#include "device/narrow.hpp"
