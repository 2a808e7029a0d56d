#pragma once
/// Functions by the hardware's powers of two and reciprocals, for results of which at most 16 bits are kept. They
/// take a fifth to a half of the instructions of those in device/math.hpp, more than memory leaves time for where
/// an element has two bytes.
#include "device/math.hpp"

namespace kg {

/// exp(x) with an error of a few ulp plus 2u · |x| relative, no more than the rounding of the difference x
/// already caused.
template <class T>
KG_DEVICE T rough_exp(T x) {
  return exp(x);
}

#if KG_GPU

/// The square of exp(x / 2) by the hardware's exp2, whose own results are never subnormal.
KG_DEVICE f32 rough_exp(f32 x) {
  const f32 root = native::rough_exp2(x * 0x1.715476p-1f);
  return root * root;
}

/// An f32 whose functions have errors of up to 2^-16 relative, below those of rounding to 16 bits.
struct Rough {
  f32 value;

  explicit KG_DEVICE Rough(f32 value) : value(value) {}
  KG_DEVICE operator f32() const { return value; }
};

KG_DEVICE Rough abs(Rough x) { return Rough(abs(x.value)); }
KG_DEVICE Rough exp(Rough x) { return Rough(rough_exp(x.value)); }
KG_DEVICE Rough decay(Rough x) { return Rough(native::rough_exp2(x.value * 0x1.715476p+0f)); }
KG_DEVICE Rough reciprocal(Rough x) { return Rough(native::rough_reciprocal(x.value)); }
/// x - x³/3 where 1 - 2 / (e^2|x| + 1) would cancel.
KG_DEVICE Rough tanh(Rough x) {
  const f32 magnitude = abs(x.value);
  const f32 small = x.value * fma(x.value * x.value, -0x1.555556p-2f, 1.0f);
  const f32 e = native::rough_exp2(magnitude * 0x1.715476p+1f);
  const f32 large = fma(-2.0f, native::rough_reciprocal(e + 1.0f), 1.0f);
  return Rough(copysign(magnitude < 0x1p-4f ? small : large, x.value));
}

#endif

}  // namespace kg
