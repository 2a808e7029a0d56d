#pragma once
/// Products by a unit that is right for most elements only.
#include "device/matrix.hpp"

namespace kg {

/// Products of T by T's own unit, where that is faster than the unit that T is multiplied by, but right for tame elements
/// only. take() gives what a pair of elements is multiplied as, and remembers whether one of them was wild; where none
/// was, sums times `factor` are what they should be.
template <class T>
struct TameProducts {
  static constexpr bool exists = false;
};

#if defined(__gfx90a__)

// The 16-bit MFMA of gfx90a takes subnormal elements and subnormal sums for zeros ("AMD Instinct MI200" ISA reference guide;
// PyTorch's notes on numerical accuracy, "Reduced precision FP16 and BF16 GEMMs and convolutions on AMD Instinct MI200").

/// Elements of less than 2^6 are tame, and multiplied by 2^10. That is exact and at most 65504, the greatest f16; the least
/// subnormal, 2^-24, becomes 2^-14, the least normal element. Products are multiples of 2^-28, and so are their sums, so
/// that none is subnormal in f32: each is 2^20 times what it would be, rounding included.
/// Wild ones become infinite, or were, or are NaN: 0 times that is NaN, and stays so whatever is added.
template <>
struct TameProducts<f16> {
  static constexpr bool exists = true;
  static constexpr f32 factor = 0x1p-20f;
  typedef _Float16 Pair __attribute__((ext_vector_type(2)));

  Pair wild = {0, 0};

  KG_DEVICE u32 take(u32 pair) {
    const Pair scaled = bit_cast<Pair>(pair) * Pair{1024, 1024};
    wild = __builtin_elementwise_fma(scaled, Pair{0, 0}, wild);
    return bit_cast<u32>(scaled);
  }
  KG_DEVICE bool was_wild() const { return (bit_cast<u32>(wild) & 0x7fff7fff) != 0; }
};

/// Elements of 2^-56 and more, and 0, are tame, and multiplied as they are: they are multiples of 2^-63, products and their
/// sums are multiples of 2^-126, the least normal f32. That holds for infinities and NaN too, which the unit treats as f32's
/// does. Twice an element's bits are its magnitude's; less 1, those of 0 are the greatest.
template <>
struct TameProducts<bf16> {
  static constexpr bool exists = true;
  static constexpr f32 factor = 1;
  typedef u16 Pair __attribute__((ext_vector_type(2)));

  Pair two = bit_cast<Pair>(in_one_piece(0x20002));  ///< not known: a shift would be one instruction more
  Pair least = {0xffff, 0xffff};

  KG_DEVICE u32 take(u32 pair) {
    least = __builtin_elementwise_min(least, bit_cast<Pair>(pair) * two + Pair{0xffff, 0xffff});
    return pair;
  }
  KG_DEVICE bool was_wild() const {
    constexpr u16 tame = (127 - 56) << 8;
    return least.x < tame - 1 || least.y < tame - 1;
  }
};

#endif

}  // namespace kg
