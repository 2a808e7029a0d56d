#pragma once
#include "device/tally.hpp"
#include "engines/conv_sum.hpp"
#include "engines/image.hpp"
#include "engines/tasks.hpp"

namespace kg {

namespace detail {

/// Neighbouring output elements of one row: the image and kernel they are made of, and where they go.
template <class T>
struct ConvRun {
  const T* image;
  const T* kernel;
  T* target;
  i32 row, column;  ///< of the input element that the first one's kernel begins on

  KG_DEVICE ConvRun(const T* x, const T* weight, T* y, const ConvShape& shape, const Run& run) {
    const u32 batch = divide(run.plane, shape.image_channels);
    const u32 channel = run.plane - batch * shape.image_channels.extent;
    const u32 group = divide(channel, shape.channels);
    image = x + batch * x_batch(shape) + group * shape.in_channels * shape.x_channel;
    kernel = weight + static_cast<u64>(channel) * conv_terms(shape);
    row = static_cast<i32>(run.row) * shape.row_stride - shape.row_padding;
    column = static_cast<i32>(run.column) * shape.column_stride - shape.column_padding;
    target = y + output_offset(shape, {batch, run.row, run.column, row, column}, channel);
  }
};

/// Calls f(run, elements) for this thread's part of the output.
template <class T, class F>
KG_DEVICE void for_each_conv_run(const T* x, const T* weight, T* y, const ConvShape& shape, F f) {
  const u32 planes = shape.batch * shape.image_channels.extent;
  const ImagePiece piece{shape.columns, shape.rows, planes * shape.rows.extent * shape.columns.extent, 0};
  for_each_run(piece, [&](const Run& run) KG_INLINE { f(ConvRun<T>(x, weight, y, shape, run), run.count); });
}

}  // namespace detail

/// Every output element by itself: for few output channels a group, as in depthwise convolutions.
template <class T>
KG_DEVICE void conv_direct(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  detail::for_each_conv_run(x, weight, y, shape, [&](const detail::ConvRun<T>& run, u32 count) KG_INLINE {
    Sum sum[run_length], part[run_length];
    for (u32 j = 0; j < count; ++j) sum[j] = part[j] = 0;
    detail::for_each_tap(
        run.image, run.kernel, shape, run.row, run.column,
        [&](const T* element, Sum factor, i32 column) KG_INLINE {
          const detail::Span span = detail::span_inside(column, shape.column_stride, count, shape.in_columns);
          with_stride(shape.column_stride, [&](auto stride) KG_INLINE {
            for_each_of_run(span.first, span.last, [&](i64 j) KG_INLINE {
              part[j] = fma(static_cast<Sum>(widen(element[j * stride])), factor, part[j]);
            });
          });
        },
        [&]() KG_INLINE {
          for (u32 j = 0; j < count; ++j) {
            sum[j] += part[j];
            part[j] = 0;
          }
        });
    for (u32 j = 0; j < count; ++j) run.target[j * shape.y_column] = convert<T>(sum[j]);
  });
}

/// Does again what is NaN in a contiguous result for which padding was multiplied as zeros, which an infinite weight
/// makes NaN of. A block looks at the weights of an output channel, and at its elements only where one is not finite.
template <class T>
KG_DEVICE void conv_repair(const T* x, const T* weight, T* y, const ConvShape& shape) {
  KG_SHARED u32 spoilt;
  const u32 terms = detail::conv_terms(shape),
            pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  for_each_run(shape.image_channels.extent, 1, [&](u64 task, u64) KG_INLINE {
    const u32 channel = static_cast<u32>(task), group = divide(channel, shape.channels);
    const T* const kernel = weight + task * terms;
    sync();  // what was found of an earlier channel has been read
    if (thread_index() == 0) spoilt = 0;
    sync();
    for (u32 i = thread_index(); i < terms; i += block_size())
      if (const auto factor = widen(kernel[i]); factor - factor != 0) tally(&spoilt);
    sync();
    if (spoilt == 0) return;
    const T* const image = x + group * shape.in_channels * shape.x_channel;
    KG_NO_UNROLL for (u32 i = thread_index(); i < pixels; i += block_size()) {
      const detail::ConvPixel pixel = detail::conv_pixel(shape, i);
      T& element = y[detail::output_offset(shape, pixel, channel)];
      if (const auto sum = widen(element); sum == sum) continue;
      element = convert<T>(detail::conv_sum(image + pixel.batch * detail::x_batch(shape), kernel, shape,
                                            pixel.row, pixel.column));
    }
  });
}

}  // namespace kg
