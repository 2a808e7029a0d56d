#pragma once
/// Matrix instructions for signed bytes, accumulating in i32 from the initial value `start`. number() converts an accumulator
/// that started at `lift` to f32; the sum without `lift` must be below 2^22 in magnitude.
#include "device/matrix.hpp"

namespace kg {

/// Two signed bytes, which are one term of a MatrixUnit: 16 rows by 16 columns, 32 bytes at a time.
struct BytePair {
  u16 bits;
};

#if defined(KG_MFMA)

template <>
struct MatrixUnit<BytePair> : detail::Mfma<BytePair, u16, f32> {
  static constexpr i32 lift = 0;
  typedef i32 Sum __attribute__((ext_vector_type(4)));
  /// Eight bytes of row lane % 16, from byte 8 · (lane / 16) on.
  typedef i32 Side __attribute__((ext_vector_type(2)));

  static KG_DEVICE f32 number(i32 sum) { return static_cast<f32>(sum); }
  template <class Layout>
  static KG_DEVICE Side left(const BytePair* tile) {
    const u32 lane = detail::lane_index();
    return *reinterpret_cast<const Side*>(tile + (lane & 15) * Layout::row_step + lane / 16 * 4);
  }
  template <class Layout>
  static KG_DEVICE Side right(const BytePair* tile) {
    return left<Layout>(tile);
  }
  static KG_DEVICE Sum multiply(Side a, Side b, i32 start = 0) {
    const Sum none = {start, start, start, start};
#if defined(__gfx90a__)
    return __builtin_amdgcn_mfma_i32_16x16x16i8(
        a[1], b[1], __builtin_amdgcn_mfma_i32_16x16x16i8(a[0], b[0], none, 0, 0, 0), 0, 0, 0);
#else
    return __builtin_amdgcn_mfma_i32_16x16x32_i8(bit_cast<i64>(a), bit_cast<i64>(b), none, 0, 0, 0);
#endif
  }
  /// The products of the first 16 bytes (half 0) or the last (half 1): a quarter of the wave holds eight bytes.
  static KG_DEVICE Sum multiply_half(Side a, Side b, int half, i32 start = 0) {
    const bool mine = static_cast<int>(detail::lane_index() / 32) == half;
    return multiply(mine ? a : Side{0, 0}, b, start);
  }
};

#elif defined(KG_WMMA)

template <>
struct MatrixUnit<BytePair> : detail::Wmma<BytePair, u16> {
  static constexpr i32 lift = 0;
  typedef i32 Sum __attribute__((ext_vector_type(8)));
#if defined(__GFX11__)
  /// The 16 bytes of row lane % 16.
  typedef i32 Part __attribute__((ext_vector_type(4)));
  static constexpr u32 part_step = 0;
#else
  /// Eight bytes of row lane % 16, from byte 8 · (lane / 16) on.
  typedef i32 Part __attribute__((ext_vector_type(2)));
  static constexpr u32 part_step = 4;
#endif
  struct Side {
    Part half[2];
  };

  static KG_DEVICE f32 number(i32 sum) { return static_cast<f32>(sum); }
  template <class Layout>
  static KG_DEVICE Side left(const BytePair* tile) {
    const u32 lane = detail::lane_index();
    const BytePair* const row = tile + (lane & 15) * Layout::row_step + lane / 16 * part_step;
    return {{*reinterpret_cast<const Part*>(row), *reinterpret_cast<const Part*>(row + 8)}};
  }
  template <class Layout>
  static KG_DEVICE Side right(const BytePair* tile) {
    return left<Layout>(tile);
  }
  static KG_DEVICE Sum multiply_half(const Side& a, const Side& b, int half, i32 start = 0) {
    return add(a.half[half], b.half[half], Sum{start, start, start, start, start, start, start, start});
  }
  static KG_DEVICE Sum multiply(const Side& a, const Side& b, i32 start = 0) {
    return add(a.half[1], b.half[1], multiply_half(a, b, 0, start));
  }

 private:
  static KG_DEVICE Sum add(Part a, Part b, Sum sum) {
#if defined(__GFX11__)
    return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32(true, a, true, b, sum, false);
#else
    return __builtin_amdgcn_wmma_i32_16x16x16_iu8_w32_gfx12(true, a, true, b, sum, false);
#endif
  }
};

#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

/// PTX ISA, "Matrix fragments for mma.m16n8k32": byte for byte those of m16n8k16 with 16-bit terms.
template <>
struct MatrixUnit<BytePair> : detail::Mma<BytePair> {
  /// The bits of 1.5 · 2^23: sums on top of them are floats, and converting takes one subtraction at full rate.
  static constexpr i32 lift = 0x4b400000;
  struct Sum {
    i32 value[8];
    KG_DEVICE i32 operator[](int i) const { return value[i]; }
  };

  static KG_DEVICE f32 number(i32 sum) { return bit_cast<f32>(sum) - 0x1.8p23f; }
  static KG_DEVICE Sum multiply(const Side& a, const Side& b, i32 start = 0) {
    Sum d;
    KG_UNROLL for (int t = 0; t < 2; ++t) asm(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};" : "=r"(d.value[4 * t]),
        "=r"(d.value[4 * t + 1]), "=r"(d.value[4 * t + 2]), "=r"(d.value[4 * t + 3]) : "r"(a.word[0]),
        "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[2 * t]), "r"(b.word[2 * t + 1]),
        "r"(start));
    return d;
  }
  /// The products of the first 16 bytes (half 0) or the last (half 1).
  static KG_DEVICE Sum multiply_half(const Side& a, const Side& b, int half, i32 start = 0) {
    Sum d;
    KG_UNROLL for (int t = 0; t < 2; ++t) asm(
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};" : "=r"(d.value[4 * t]),
        "=r"(d.value[4 * t + 1]), "=r"(d.value[4 * t + 2]), "=r"(d.value[4 * t + 3]) : "r"(a.word[2 * half]),
        "r"(a.word[2 * half + 1]), "r"(b.word[2 * t + half]), "r"(start));
    return d;
  }
};

#endif

}  // namespace kg
