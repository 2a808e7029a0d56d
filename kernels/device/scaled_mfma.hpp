#pragma once
/// 16-bit products on a matrix unit that is exact only for a limited range of elements.
#include "device/matrix.hpp"

namespace kg {

/// Multiplies elements of T on T's own matrix unit, which is faster than the unit for multiplied<T> but exact
/// only for elements in range. take() scales a pair of elements for the unit and records whether either was
/// out of range. If none was, a taken element times `unscale` is the element; otherwise the product must be
/// recomputed.
template <class T>
struct ScaledMfma {
  static constexpr bool exists = false;
};

/// In the place of ScaledMfma where elements are multiplied as they are.
struct Unscaled {
  static constexpr bool exists = false;
  static constexpr f32 unscale = 1;

  KG_DEVICE u32 take(u32 pair) { return pair; }
  KG_DEVICE bool needs_fallback() const { return false; }
};

#if defined(__gfx90a__)

// gfx90a's 16-bit MFMA flushes subnormal elements and subnormal sums to zero ("AMD Instinct MI200" ISA
// reference guide; PyTorch's notes on numerical accuracy, "Reduced precision FP16 and BF16 GEMMs and
// convolutions on AMD Instinct MI200").

/// Magnitudes below 2^6 are in range and are multiplied by 2^10. That is exact and at most 65504, the
/// greatest f16; the least subnormal, 2^-24, becomes 2^-14, the least normal. Products and their sums are
/// then multiples of 2^-28, so none is subnormal in f32: each is 2^20 times the true value, including its
/// rounding.
///
/// Elements out of range become infinite, or were infinite or NaN. 0 times such a value is NaN, which
/// propagates through the additions to `out_of_range`.
template <>
struct ScaledMfma<f16> {
  static constexpr bool exists = true;
  static constexpr f32 unscale = 0x1p-10f;
  typedef _Float16 Pair __attribute__((ext_vector_type(2)));

  Pair out_of_range = {0, 0};

  KG_DEVICE u32 take(u32 pair) {
    const Pair scaled = bit_cast<Pair>(pair) * Pair{1024, 1024};
    out_of_range = __builtin_elementwise_fma(scaled, Pair{0, 0}, out_of_range);
    return bit_cast<u32>(scaled);
  }
  KG_DEVICE bool needs_fallback() const { return (bit_cast<u32>(out_of_range) & 0x7fff7fff) != 0; }
};

/// Magnitudes of at least 2^-56, and 0, are in range and are multiplied unscaled. They are multiples of
/// 2^-63, so products and their sums are multiples of 2^-126, the least normal f32. Infinities and NaN are in
/// range too; the unit treats them as f32 does. Doubling an element's bits drops the sign; subtracting 1
/// makes 0 the greatest value.
template <>
struct ScaledMfma<bf16> {
  static constexpr bool exists = true;
  static constexpr f32 unscale = 1;
  typedef u16 Pair __attribute__((ext_vector_type(2)));

  /// Opaque to the compiler: a shift would take one instruction more
  Pair two = bit_cast<Pair>(keep_in_vector_register(0x20002));
  Pair least = {0xffff, 0xffff};

  KG_DEVICE u32 take(u32 pair) {
    least = __builtin_elementwise_min(least, bit_cast<Pair>(pair) * two + Pair{0xffff, 0xffff});
    return pair;
  }
  KG_DEVICE bool needs_fallback() const {
    constexpr u16 minimum = (127 - 56) << 8;  // 2^-56, doubled
    return least.x < minimum - 1 || least.y < minimum - 1;
  }
};

#endif

}  // namespace kg
