#pragma once
#include "device/conv_sum.hpp"
#include "device/image.hpp"

namespace kg {

/// Every output element by itself: for few output channels a group, as in depthwise convolutions.
template <class T>
KG_DEVICE void conv_direct(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  const u32 planes = shape.batch * shape.image_channels.extent;
  const ImagePiece piece{shape.columns, shape.rows, planes * shape.rows.extent * shape.columns.extent, 0};
  for_each_run(piece, [&](const Run& run) KG_INLINE {
    const u32 batch = divide(run.plane, shape.image_channels);
    const u32 channel = run.plane - batch * shape.image_channels.extent;
    const u32 group = divide(channel, shape.channels);
    const T* image = x + batch * detail::x_batch(shape) + group * shape.in_channels * shape.x_channel;
    const T* kernel = weight + static_cast<u64>(channel) * detail::conv_terms(shape);
    const detail::ConvPixel pixel{batch, run.row, run.column,
                                  static_cast<i32>(run.row) * shape.row_stride - shape.row_padding,
                                  static_cast<i32>(run.column) * shape.column_stride - shape.column_padding};
    Sum sum[run_length], part[run_length];
    for (u32 j = 0; j < run.count; ++j) sum[j] = part[j] = 0;
    detail::for_each_tap(
        image, kernel, shape, pixel.row, pixel.column,
        [&](const T* element, Sum factor, i32 column) KG_INLINE {
          const detail::Span span =
              detail::span_inside(column, shape.column_stride, run.count, shape.in_columns);
          with_stride(shape.column_stride, [&](auto stride) KG_INLINE {
            for_each_of_run(span.first, span.last, [&](i64 j) KG_INLINE {
              part[j] = fma(static_cast<Sum>(widen(element[j * stride])), factor, part[j]);
            });
          });
        },
        [&]() KG_INLINE {
          for (u32 j = 0; j < run.count; ++j) {
            sum[j] += part[j];
            part[j] = 0;
          }
        });
    T* target = y + detail::output_offset(shape, pixel, channel);
    for (u32 j = 0; j < run.count; ++j) target[j * shape.y_column] = convert<T>(sum[j]);
  });
}

}  // namespace kg
