#pragma once
/// What padding and gaps spoil in transposed convolutions. The shape has strides, paddings and dilations as they are called
/// with, weights are [channels, output channels of a group, rows, columns].
#include "device/tally.hpp"
#include "engines/conv_sum.hpp"
#include "engines/tasks.hpp"

namespace kg {

namespace detail {

/// Whether a kernel's element falls on an input element, whose index then takes the place of `place`: what lies `tap`
/// steps of the dilation before output element `place` (the padding added).
KG_DEVICE bool falls_on(i32& place, i32 tap, i32 dilation, i32 stride, i32 extent) {
  place -= tap * dilation;
  if (place < 0 || place % stride != 0) return false;
  place /= stride;
  return place < extent;
}

/// One output element from what falls on it. `weight` is of the group's first channel, whose next is `step` further.
template <class T>
KG_DEVICE widened<T> conv_transposed_sum(const T* image, const T* weight, u64 step, const ConvShape& shape,
                                         u32 output_row, u32 output_column) {
  widened<T> sum = 0;
  KG_NO_UNROLL for (u32 r = 0; r < shape.kernel_rows; ++r) {
    i32 row = static_cast<i32>(output_row) + shape.row_padding;
    if (!falls_on(row, static_cast<i32>(r), shape.row_dilation, shape.row_stride, shape.in_rows)) continue;
    KG_NO_UNROLL for (u32 c = 0; c < shape.kernel_columns.extent; ++c) {
      i32 column = static_cast<i32>(output_column) + shape.column_padding;
      if (!falls_on(column, static_cast<i32>(c), shape.column_dilation, shape.column_stride,
                    shape.in_columns))
        continue;
      const T* const elements = image + line_offset(shape, row) + column;
      const T* const factors = weight + r * shape.kernel_columns.extent + c;
      widened<T> part = 0;
      KG_NO_UNROLL for (u32 channel = 0; channel < shape.in_channels; ++channel) {
        part = fma(static_cast<widened<T>>(widen(elements[channel * shape.x_channel])),
                   static_cast<widened<T>>(widen(factors[channel * step])), part);
        if (channel % conv_block != conv_block - 1) continue;
        sum += part;
        part = 0;
      }
      sum += part;
    }
  }
  return sum;
}

}  // namespace detail

/// As conv_repair.
template <class T>
KG_DEVICE void conv_repair_transposed(const T* x, const T* weight, T* y, const ConvShape& shape) {
  KG_SHARED u32 spoilt;
  const u32 taps = shape.kernel_size.extent, terms = shape.in_channels * taps,
            pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  const u64 step = static_cast<u64>(shape.channels.extent) * taps;
  for_each_run(shape.image_channels.extent, 1, [&](u64 task, u64) KG_INLINE {
    const u32 channel = static_cast<u32>(task), group = divide(channel, shape.channels);
    const T* const kernel = weight + group * shape.in_channels * step +
                            static_cast<u64>(channel - group * shape.channels.extent) * taps;
    sync();  // what was found of an earlier channel has been read
    if (thread_index() == 0) spoilt = 0;
    sync();
    for (u32 i = thread_index(); i < terms; i += block_size()) {
      const u32 in = divide(i, shape.kernel_size);
      if (const auto factor = widen(kernel[in * step + (i - in * taps)]); factor - factor != 0)
        tally(&spoilt);
    }
    sync();
    if (spoilt == 0) return;
    const T* const image = x + group * shape.in_channels * shape.x_channel;
    KG_NO_UNROLL for (u32 i = thread_index(); i < pixels; i += block_size()) {
      const detail::ConvPixel pixel = detail::conv_pixel(shape, i);
      T& element = y[detail::output_offset(shape, pixel, channel)];
      if (const auto sum = widen(element); sum == sum) continue;
      element = convert<T>(detail::conv_transposed_sum(image + pixel.batch * detail::x_batch(shape), kernel,
                                                       step, shape, pixel.output_row, pixel.output_column));
    }
  });
}

}  // namespace kg
