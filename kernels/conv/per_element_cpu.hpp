#pragma once
#include "conv/segment_cpu.hpp"
#include "engines/image.hpp"
#include "engines/spans.hpp"

namespace kg::detail {

/// Calls f(element, factor, column) in order for the elements of the kernel at `weight` whose row is in the
/// image. `element` is the corresponding input element; its `column` may be outside the image. (first_row,
/// first_column) is the input position of the kernel's first element. flush() is called after every
/// conv_block elements and at the end.
template <class T, class F, class Flush>
KG_DEVICE void for_each_tap(const T* image, const T* weight, const ConvShape& shape, i32 first_row,
                            i32 first_column, F f, Flush flush) {
  u32 pending = 0;
  KG_NO_UNROLL for (u32 channel = 0; channel < shape.in_channels; ++channel) {
    KG_NO_UNROLL for (u32 r = 0; r < shape.kernel_rows; ++r) {
      const i32 row = first_row + static_cast<i32>(r) * shape.row_dilation;
      if (!inside(row, shape.in_rows)) continue;
      const T* line = image + channel * shape.x_channel + line_offset(shape, row);
      const T* factors = weight + channel * shape.kernel_size.extent + r * shape.kernel_columns.extent;
      KG_NO_UNROLL for (u32 c = 0; c < shape.kernel_columns.extent; ++c) {
        const i32 column = first_column + static_cast<i32>(c) * shape.column_dilation;
        f(line + column, widen(factors[c]), column);
        if (++pending == conv_block) {
          flush();
          pending = 0;
        }
      }
    }
  }
  flush();
}

/// Calls f(first output, elements) for adjacent output elements of this thread's share of the output.
template <class T, class F>
KG_DEVICE void for_each_conv_span(const T* x, const T* weight, T* y, const ConvShape& shape, F f) {
  const u32 planes = shape.batch * shape.image_channels.extent;
  const ImagePiece piece{shape.columns, shape.rows, planes * shape.rows.extent * shape.columns.extent, 0};
  for_each_span(piece, [&](const Run& run) KG_INLINE {
    f(ConvOutput<T>(x, weight, y, shape, run.plane, run.row, run.column), run.count);
  });
}

/// Computes every output element directly.
template <class T>
KG_DEVICE void conv_per_element(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  for_each_conv_span(x, weight, y, shape, [&](const ConvOutput<T>& run, u32 count) KG_INLINE {
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
