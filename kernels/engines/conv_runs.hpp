#pragma once
#include "engines/conv_sum.hpp"
#include "engines/image.hpp"
#include "engines/tasks.hpp"

namespace kg::detail {

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

/// Every output element by itself.
template <class T>
KG_DEVICE void conv_runs(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  for_each_conv_run(x, weight, y, shape, [&](const ConvRun<T>& run, u32 count) KG_INLINE {
    Sum sum[run_length], part[run_length];
    for (u32 j = 0; j < count; ++j) sum[j] = part[j] = 0;
    for_each_tap(
        run.image, run.kernel, shape, run.row, run.column,
        [&](const T* element, Sum factor, i32 column) KG_INLINE {
          const Span span = span_inside(column, shape.column_stride, count, shape.in_columns);
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

}  // namespace kg::detail
