#pragma once
/// CPU dialect: clang for the host. A block is one thread that processes its whole share of the work, so
/// block primitives are empty and inner loops vectorize. The caller distributes blocks over threads.
#include "device/types.hpp"
#include "plan/block.hpp"

#define KG_DEVICE __attribute__((always_inline)) inline
/// For lambdas: keeps captured values in registers.
#define KG_INLINE __attribute__((always_inline))
#define KG_SHARED
#define KG_SHARED_BLOCK(name, bytes) alignas(64) unsigned char name[bytes]
#define KG_UNROLL _Pragma("clang loop unroll(full)")
#define KG_NO_UNROLL _Pragma("clang loop unroll(disable)")
/// For loops with few iterations: vectorizes without interleaving.
#define KG_SHORT_LOOP _Pragma("clang loop vectorize(enable) interleave_count(1)")

namespace kg {

inline thread_local const Block* current_block = nullptr;

KG_DEVICE void begin_kernel() {}
inline constexpr bool is_gpu = false;
/// Whether unaligned word loads are allowed.
inline constexpr bool has_unaligned_loads = true;
#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#else
inline constexpr int vector_bytes = 32;
#endif

KG_DEVICE u32 thread_index() { return 0; }
KG_DEVICE u32 thread_index_y() { return 0; }
KG_DEVICE u32 block_size_y() { return 1; }
KG_DEVICE u32 block_index() { return current_block->index[0]; }
KG_DEVICE u32 block_size() { return 1; }
KG_DEVICE u32 grid_size() { return current_block->grid[0]; }
KG_DEVICE u64 grid_threads() { return grid_size(); }
KG_DEVICE u32 wave_size() { return 1; }
KG_DEVICE void sync() {}
KG_DEVICE void sync_wave() {}
/// A no-op: scalar registers are not scarce here.
KG_DEVICE u32 uniform_optimization_barrier(u32 x) { return x; }

template <class To, class From>
KG_DEVICE To bit_cast(From x) {
  return __builtin_bit_cast(To, x);
}

namespace native {
KG_DEVICE u32 lane_word(u32 word, u32) { return word; }
KG_DEVICE u32 lane_xor_word(u32 word, u32, u32) { return word; }
using LaneBits = u32;
KG_DEVICE LaneBits ballot(bool value) { return value; }
KG_DEVICE u32 count_bits(LaneBits bits) { return bits; }
KG_DEVICE void begin_iteration() {}
KG_DEVICE u32 lowest_bit(LaneBits) { return 0; }
#define KG_LIBM_1(name)                                            \
  KG_DEVICE float name(float x) { return __builtin_##name##f(x); } \
  KG_DEVICE double name(double x) { return __builtin_##name(x); }
#if !defined(__FMA__)  // else device/exp_cpu.hpp
KG_LIBM_1(exp)
KG_LIBM_1(expm1)
KG_LIBM_1(log)
KG_LIBM_1(tanh)
#endif
KG_LIBM_1(erf)
KG_LIBM_1(erfc)
KG_LIBM_1(sqrt)
KG_LIBM_1(floor)
KG_LIBM_1(ceil)
KG_LIBM_1(trunc)
KG_LIBM_1(rint)
#undef KG_LIBM_1
KG_DEVICE double sin(double x) { return __builtin_sin(x); }
KG_DEVICE double cos(double x) { return __builtin_cos(x); }
KG_DEVICE float pow(float x, float e) { return __builtin_powf(x, e); }
KG_DEVICE double pow(double x, double e) { return __builtin_pow(x, e); }
KG_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
KG_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
KG_DEVICE float rough_reciprocal(float x) { return 1.0f / x; }
KG_DEVICE u32 multiply_high(u32 a, u32 b) { return static_cast<u32>((static_cast<u64>(a) * b) >> 32); }
/// In integer arithmetic: LLVM would hoist comparisons and absolute values above a float conversion, to f16,
/// where they do not vectorize.
KG_DEVICE float widen(f16 x) {
  const u32 magnitude = x.bits & 0x7fffu;
  const u32 bits = bit_cast<u32>(bit_cast<float>(magnitude << 13) * 0x1p112f);
  return bit_cast<float>((x.bits & 0x8000u) << 16 | bits | (magnitude >= 0x7c00 ? 0x7f800000u : 0u));
}
KG_DEVICE f16 to_f16(float x) { return {bit_cast<u16>(static_cast<_Float16>(x))}; }
/// Arguments occupy no registers.
inline constexpr bool args_in_lds = false;
}  // namespace native

/// a * b + c of scalars or vectors, fused if the processor has FMA. Without FMA, libm's fma would take a
/// hundred times as long. Use it where one additional rounding does not matter.
template <class V>
KG_DEVICE V multiply_add(V a, V b, V c) {
#if defined(__FMA__)
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// Offsets and sizes of a kernel's arguments, each at its natural alignment, as a GPU code object records
/// them. Exported with the kernel so that it can be checked against the manifest.
template <int N>
struct ArgumentTable {
  u32 count;
  u32 bytes;
  struct {
    u32 offset, size;
  } arg[N];
};

template <class... A>
struct Arguments {
  static constexpr ArgumentTable<sizeof...(A)> table() {
    ArgumentTable<sizeof...(A)> t{sizeof...(A), 0, {}};
    constexpr u32 sizes[] = {sizeof(A)...}, alignments[] = {alignof(A)...};
    for (u32 i = 0; i < sizeof...(A); ++i) {
      t.arg[i] = {(t.bytes + alignments[i] - 1) / alignments[i] * alignments[i], sizes[i]};
      t.bytes = t.arg[i].offset + sizes[i];
    }
    return t;
  }
};

template <class... A>
constexpr auto argument_table(void (*)(A...)) {
  return Arguments<A...>::table();
}

template <class... A, int... I>
KG_DEVICE void call_unpacked(void (*body)(A...), const char* arguments, Indices<I...>) {
  constexpr auto table = Arguments<A...>::table();
  body(*reinterpret_cast<const A*>(arguments + table.arg[I].offset)...);
}

template <class... A>
KG_DEVICE void run_block(void (*body)(A...), const void* arguments, const Block* block) {
  current_block = block;
  call_unpacked(body, static_cast<const char*>(arguments), typename MakeIndices<sizeof...(A)>::type{});
}

}  // namespace kg

/// Defines a kernel. `name` runs one block; `name_args` describes its argument block.
#define KG_KERNEL(block, name, ...)                                                                        \
  __attribute__((min_vector_width(8 * kg::vector_bytes))) static void name##_body(__VA_ARGS__);            \
  extern "C" __attribute__((visibility("default"))) void name(const void* arguments, const kg::Block* b) { \
    kg::run_block(&name##_body, arguments, b);                                                             \
  }                                                                                                        \
  extern "C" __attribute__((visibility("default"), used)) constexpr auto name##_args =                     \
      kg::argument_table(&name##_body);                                                                    \
  static void name##_body(__VA_ARGS__)
/// A CPU's compiler limits no registers.
#define KG_RESIDENT_KERNEL(block, occupancy, name, ...) KG_KERNEL(block, name, __VA_ARGS__)

#if defined(__FMA__)
#include "device/exp_cpu.hpp"
#endif
#include "device/narrow.hpp"
#include "device/trig_cpu.hpp"
