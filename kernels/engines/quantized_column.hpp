#pragma once
/// Activations as bytes with a scale for each 32 of them (see plan/quantized.hpp). The scale stays f32: what rounding
/// to f16 as q8_1 has it would cost is not paid.
#include "device/convert.hpp"
#include "device/math.hpp"
#include "engines/block_format.hpp"
#include "plan/quantized.hpp"

namespace kg {

/// Types of activations by their number in the package (kernelgen_dtype).
enum class ActivationType : u32 { bf16 = 5, f16 = 6, f32 = 7 };

/// Calls f with a null pointer to the type that it stands for.
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

/// A column in memory, aligned to 16 bytes.
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

/// How a slice is rounded to bytes whose elements' largest magnitude is `top`.
struct ByteSteps {
  f32 d, up, inverse;

  KG_DEVICE explicit ByteSteps(f32 top)
      // The inverse of a smaller step would be infinite.
      : d(top * (1.0f / 127.0f)), up(top < 0x1p-100f ? 0x1p64f : 1.0f), inverse(0) {
    const f32 raised = top * up;
    // Nothing is rounded to more than 127 for the few digits that the reciprocal lacks.
    if (raised > 0) inverse = 127.0f * native::rough_reciprocal(raised);
  }

  /// The nearest byte, in the low bits; any of NaN.
  KG_DEVICE u32 nearest(f32 x) const {
    // Adding 1.5 · 2^23 rounds to an integer and leaves it in the low bits.
    return bit_cast<u32>(fma(x * up, inverse, 0x1.8p23f));
  }
};

/// The bits of a magnitude, in whose order NaN comes last.
KG_DEVICE u32 magnitude_bits(f32 x) { return bit_cast<u32>(x) & 0x7fffffffu; }

}  // namespace detail

}  // namespace kg

/// quantize_column(x, type, first, column) puts the elements of x from `first` on into the column, by all of a block's
/// threads. A scale that is no finite number makes everything that is multiplied with it NaN.
#if KG_GPU
#include "engines/quantized_column_gpu.hpp"
#else
#include "engines/quantized_column_cpu.hpp"
#endif
