#pragma once
#include "quantized/column.hpp"

namespace kg {

template <class X>
KG_DEVICE void quantize_column(const X* x, const QuantizedColumn& column) {
  for (u32 slice = 0; slice < column.slices; ++slice) {
    f32 value[slice_elements];
    u32 top = 0;
    for (int i = 0; i < slice_elements; ++i)
      value[i] = widen(x[u64{slice} * slice_elements + static_cast<u64>(i)]);
    for (int i = 0; i < slice_elements; ++i) {
      const u32 bits = detail::magnitude_bits(value[i]);
      top = bits > top ? bits : top;
    }
    const detail::ByteSteps steps(bit_cast<f32>(top));
    i8 bytes[slice_elements];
    i32 sum[2] = {};
    for (int i = 0; i < slice_elements; ++i) bytes[i] = static_cast<i8>(steps.nearest(value[i]));
    for (int i = 0; i < slice_elements; ++i) sum[i / 16] += bytes[i];
    for (int half = 0; half < 2; ++half) {
      __builtin_memcpy(column.words(slice, half), bytes + 16 * half, 16);
      column.sums(slice)[half] = static_cast<i16>(sum[half]);
    }
    *column.scale(slice) = steps.d;
  }
}

KG_DEVICE void quantize_column(const void* x, ActivationType type, u64 first, const QuantizedColumn& column) {
  visit(type, [&](auto* of_type) KG_INLINE {
    quantize_column(static_cast<const decltype(of_type)>(const_cast<void*>(x)) + first, column);
  });
}

}  // namespace kg
