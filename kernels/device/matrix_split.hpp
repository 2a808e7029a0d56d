#pragma once
/// f32 products on matrix units with less precision. Each factor is split into TF32's 11 bits and the next 11
/// bits, and three of the four products are summed, small ones first. The omitted product is below 2^-21 of
/// the result (Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores", 2022).
/// Infinities, and values that round up to infinity, become NaN.
#include "device/matrix.hpp"

namespace kg {

/// MatrixUnit<S>, or the split unit that replaces it.
template <class S>
struct ExactUnit : MatrixUnit<S> {};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

/// Mma in steps of eight terms: instructions of 16 rows by 8 columns. Their sums are truncated, not rounded,
/// so each 16 terms are summed from zero.
template <>
struct ExactUnit<f32> : detail::Mma<f32> {
  /// Step s uses words 4 s to 4 s + 3, arranged as in a side of Mma. Its terms for a lane are lane % 4 and
  /// lane % 4 + 4.
  struct Side {
    u32 high[8], low[8];
  };
  using Part = Sum;

  template <class Layout>
  static KG_DEVICE Side left(const f32* tile) {
    return load<Layout>(tile, lane() & 8, (lane() & 16) / 4);
  }
  template <class Layout>
  static KG_DEVICE Side right(const f32* tile) {
    if constexpr (Layout::term_step == 1) return load<Layout>(tile, (lane() & 16) / 2, (lane() & 8) / 2);
    Side side;
    // Same order of terms as side().
    const f32* const first = tile + lane() / 4 * Layout::row_step + lane() % 4 * 2 * Layout::term_step;
    KG_UNROLL for (u32 i = 0; i < 8; ++i) split(
        side, i,
        first[i / 4 * 8 * Layout::term_step + i / 2 % 2 * 8 * Layout::row_step + i % 2 * Layout::term_step]);
    return side;
  }
  static KG_DEVICE Sum multiply(const Side& a, const Side& b, const Sum& c) {
    Sum d = c;
    KG_UNROLL for (u32 half = 0; half < 2; ++half) {
      f32 sum[4] = {};
      KG_UNROLL for (u32 step = 0; step < 8; step += 4) {
        add_products(sum, a.low + step, b.high + step + 2 * half);
        add_products(sum, a.high + step, b.low + step + 2 * half);
      }
      KG_UNROLL for (u32 step = 0; step < 8; step += 4)
          add_products(sum, a.high + step, b.high + step + 2 * half);
      KG_UNROLL for (u32 i = 0; i < 4; ++i) d.value[4 * half + i] += sum[i];
    }
    return d;
  }
  static KG_DEVICE Part part(const Sum& sum) { return sum; }
  static KG_DEVICE Side side(const Part& part) {
    Side side;
    KG_UNROLL for (u32 i = 0; i < 8; ++i) split(side, i, part.value[i / 4 * 4 + i % 2 * 2 + i / 2 % 2]);
    return side;
  }

 private:
  static KG_DEVICE u32 lane() { return thread_index() & (lanes - 1); }

  /// The instructions ignore the 13 lowest bits. The sum makes -0 of this GPU's NaN, 0x7fffffff; `low` remains NaN because it is not
  /// rounded, which would not reduce the error: the omitted product is larger.
  static KG_DEVICE void split(Side& side, u32 i, f32 x) {
    constexpr u32 half = 0x1000, kept = 0xffffe000;
    side.high[i] = (bit_cast<u32>(x) + half) & kept;
    side.low[i] = bit_cast<u32>(x - bit_cast<f32>(side.high[i]));
  }

  /// Loads lines of contiguous terms. ldmatrix's rows of eight 16-bit elements are four f32 terms here.
  template <class Layout>
  static KG_DEVICE Side load(const f32* tile, u32 row, u32 term) {
    Side side;
    const u32 line = detail::shared_address(tile + (row + (lane() & 7)) * Layout::row_step + term);
    KG_UNROLL for (u32 step = 0; step < 8; step += 4) {
      u32 word[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                   : "r"(line + step * 2 * static_cast<u32>(sizeof(f32)))
                   : "memory");
      KG_UNROLL for (u32 i = 0; i < 4; ++i) split(side, step + i, bit_cast<f32>(word[i]));
    }
    return side;
  }

  static KG_DEVICE void add_products(f32 (&sum)[4], const u32* a, const u32* b) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, "
        "%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
};

#endif

}  // namespace kg
