#pragma once
/// Matrix instructions for signed bytes, with sums of i32.
#include "device/matrix.hpp"

namespace kg {

/// Two signed bytes, which are one term of a MatrixUnit: 16 rows by 16 columns, 32 bytes at a time.
struct BytePair {
  u16 bits;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

/// PTX ISA, "Matrix fragments for mma.m16n8k32": byte for byte those of m16n8k16 with 16-bit terms.
template <>
struct MatrixUnit<BytePair> : detail::Mma<BytePair> {
  struct Sum {
    i32 value[8];
    KG_DEVICE i32 operator[](int i) const { return value[i]; }
  };

  static KG_DEVICE Sum multiply(const Side& a, const Side& b) {
    Sum d;
    KG_UNROLL for (int t = 0; t < 2; ++t) asm(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %10, %10, %10};" : "=r"(d.value[4 * t]),
        "=r"(d.value[4 * t + 1]), "=r"(d.value[4 * t + 2]), "=r"(d.value[4 * t + 3]) : "r"(a.word[0]),
        "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b.word[2 * t]), "r"(b.word[2 * t + 1]), "r"(0));
    return d;
  }
  /// The products of the first 16 bytes (half 0) or the last (half 1).
  static KG_DEVICE Sum multiply_half(const Side& a, const Side& b, int half) {
    Sum d;
    KG_UNROLL for (int t = 0; t < 2; ++t) asm(
        "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "
        "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %7, %7, %7};" : "=r"(d.value[4 * t]),
        "=r"(d.value[4 * t + 1]), "=r"(d.value[4 * t + 2]), "=r"(d.value[4 * t + 3]) : "r"(a.word[2 * half]),
        "r"(a.word[2 * half + 1]), "r"(b.word[2 * t + half]), "r"(0));
    return d;
  }
};

#endif

}  // namespace kg
