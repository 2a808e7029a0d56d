#pragma once
/// Corrects convolutions of libraries that multiply padding: an infinite weight times a padding zero gives
/// NaN. The same happens in the gaps between elements of transposed convolutions. The shape of transposed
/// convolutions has strides, paddings and dilations as passed by the caller; weights are [channels, output
/// channels of a group, rows, columns].
#include "conv/sum.hpp"
#include "device/histogram.hpp"
#include "engines/spans.hpp"

namespace kg {

namespace detail {

/// Recomputes the NaN elements of a contiguous result. A block checks the weights of an output channel and
/// only examines its elements if a weight is not finite. kernel_of(channel, group) is the start of its
/// weights, factor(kernel, i) is weight i, and sum(images of the group, kernel, pixel) computes an element
/// without padding.
template <class T, class KernelOf, class Factor, class Sum>
KG_DEVICE void fix_padding_channels(const T* x, T* y, const ConvShape& shape, KernelOf kernel_of,
                                    Factor factor, Sum sum) {
  KG_SHARED u32 spoilt;
  const u32 terms = conv_terms(shape), pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  for_each_span(shape.image_channels.extent, 1, [&](u64 task, u64) KG_INLINE {
    const u32 channel = static_cast<u32>(task), group = divide(channel, shape.channels);
    const T* const kernel = kernel_of(channel, group);
    sync();  // an earlier channel's flag may still be read
    if (thread_index() == 0) spoilt = 0;
    sync();
    for (u32 i = thread_index(); i < terms; i += block_size())
      if (const auto weight = widen(factor(kernel, i)); weight - weight != 0) histogram_add(&spoilt);
    sync();
    if (spoilt == 0) return;
    const T* const image = x + group * shape.in_channels * shape.x_channel;
    KG_NO_UNROLL for (u32 i = thread_index(); i < pixels; i += block_size()) {
      const ConvPixel pixel = conv_pixel(shape, i);
      T& element = y[output_offset(shape, pixel, channel)];
      if (const auto found = widen(element); found == found) continue;
      element = convert<T>(sum(image + pixel.batch * x_batch(shape), kernel, pixel));
    }
  });
}

/// Whether a kernel element meets an input element; if so, replaces `index` by the input index. `index` is
/// the output index plus padding; `tap` counts steps of the dilation.
KG_DEVICE bool falls_on(i32& index, i32 tap, i32 dilation, i32 stride, i32 extent) {
  index -= tap * dilation;
  if (index < 0 || index % stride != 0) return false;
  index /= stride;
  return index < extent;
}

/// One output element of a transposed convolution. `weight` belongs to the group's first channel; the next
/// channel is `step` further.
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

template <class T>
KG_DEVICE void conv_fix_padding(const T* x, const T* weight, T* y, const ConvShape& shape) {
  detail::fix_padding_channels(
      x, y, shape,
      [&](u32 channel, u32)
          KG_INLINE { return weight + static_cast<u64>(channel) * detail::conv_terms(shape); },
      [](const T* kernel, u32 i) KG_INLINE { return kernel[i]; },
      [&](const T* image, const T* kernel, const detail::ConvPixel& pixel)
          KG_INLINE { return detail::conv_sum(image, kernel, shape, pixel.row, pixel.column); });
}

template <class T>
KG_DEVICE void conv_fix_padding_transposed(const T* x, const T* weight, T* y, const ConvShape& shape) {
  const u32 taps = shape.kernel_size.extent;
  const u64 step = static_cast<u64>(shape.channels.extent) * taps;
  detail::fix_padding_channels(
      x, y, shape,
      [&](u32 channel, u32 group) KG_INLINE {
        return weight + group * shape.in_channels * step +
               static_cast<u64>(channel - group * shape.channels.extent) * taps;
      },
      [&](const T* kernel, u32 i) KG_INLINE {
        const u32 in = divide(i, shape.kernel_size);
        return kernel[in * step + (i - in * taps)];
      },
      [&](const T* image, const T* kernel, const detail::ConvPixel& pixel) KG_INLINE {
        return detail::conv_transposed_sum(image, kernel, step, shape, pixel.output_row, pixel.output_column);
      });
}

}  // namespace kg
