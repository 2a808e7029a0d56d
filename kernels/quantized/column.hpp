#pragma once
/// Activations quantized to bytes, with a scale per 32 elements (see plan/quantized.hpp). The scale is f32,
/// which avoids q8_1's error of rounding it to f16.
#include "device/convert.hpp"
#include "device/math.hpp"
#include "plan/quantized.hpp"
#include "quantized/block_format.hpp"

namespace kg {

/// Calls f with a null pointer of the given type.
template <class F>
KG_DEVICE void visit(ActivationType type, F f) {
  switch (type) {
    case ActivationType::bf16:
      return f(static_cast<bf16*>(nullptr));
    case ActivationType::f16:
      return f(static_cast<f16*>(nullptr));
    default:
      return f(static_cast<f32*>(nullptr));
  }
}

KG_DEVICE void store_activation(void* y, ActivationType type, u64 i, f32 value) {
  switch (type) {
    case ActivationType::bf16:
      static_cast<bf16*>(y)[i] = narrow<bf16>(value);
      return;
    case ActivationType::f16:
      static_cast<f16*>(y)[i] = narrow<f16>(value);
      return;
    default:
      static_cast<f32*>(y)[i] = value;
  }
}

/// A quantized column in memory, aligned to 16 bytes.
struct QuantizedColumn {
  u8* at;
  u32 slices;

  KG_DEVICE u32* words(u32 slice, int half) const {
    return reinterpret_cast<u32*>(at + (half ? u64{slices} * 16 : 0)) + u64{slice} * 4;
  }
  KG_DEVICE f32* scale(u32 slice) const { return reinterpret_cast<f32*>(at + u64{slices} * 32) + slice; }
  KG_DEVICE i16* sums(u32 slice) const {
    return reinterpret_cast<i16*>(at + u64{slices} * 36) + u64{slice} * 2;
  }
};

namespace detail {

/// Quantization parameters of a slice whose largest magnitude is `top`.
struct ByteSteps {
  f32 d, up, inverse;

  KG_DEVICE explicit ByteSteps(f32 top)
      // The inverse of a smaller step would overflow, so x is scaled up first.
      : d(top * (1.0f / 127.0f)), up(top < 0x1p-100f ? 0x1p64f : 1.0f), inverse(0) {
    const f32 raised = top * up;
    // The approximate reciprocal is accurate enough that no result rounds above 127.
    if (raised > 0) inverse = 127.0f * native::rough_reciprocal(raised);
  }

  /// The nearest byte, in the low bits; unspecified for NaN.
  KG_DEVICE u32 nearest(f32 x) const {
    // Adding 1.5 · 2^23 rounds to an integer and leaves it in the low bits.
    return bit_cast<u32>(fma(x * up, inverse, 0x1.8p23f));
  }
};

/// Magnitude as bits, ordered so that NaN is greatest.
KG_DEVICE u32 magnitude_bits(f32 x) { return bit_cast<u32>(x) & 0x7fffffffu; }

}  // namespace detail

}  // namespace kg

/// quantize_column(x, type, first, column) quantizes the elements of x from `first` on into the column, using
/// all threads of the block. A slice with a non-finite scale makes all of its products NaN.
#if KG_GPU
#include "quantized/column_gpu.hpp"
#else
#include "quantized/column_cpu.hpp"
#endif
