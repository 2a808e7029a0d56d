#pragma once
/// One element of a convolution, and definitions shared by the engines.
#include "device/convert.hpp"
#include "device/math.hpp"
#include "engines/position.hpp"
#include "plan/image.hpp"

namespace kg::detail {

/// An output element of an image, with the input position of its kernel's first element.
struct ConvPixel {
  u32 batch;
  u32 output_row, output_column;
  i32 row, column;
};

/// Output element `index` of a channel, counted over the batch.
KG_DEVICE ConvPixel conv_pixel(const ConvShape& shape, u32 index) {
  ConvPixel pixel;
  const u32 line = divide(index, shape.columns);
  pixel.batch = divide(line, shape.rows);
  pixel.output_row = line - pixel.batch * shape.rows.extent;
  pixel.output_column = index - line * shape.columns.extent;
  pixel.row = static_cast<i32>(pixel.output_row) * shape.row_stride - shape.row_padding;
  pixel.column = static_cast<i32>(pixel.output_column) * shape.column_stride - shape.column_padding;
  return pixel;
}

/// Image planes are contiguous.
KG_DEVICE i64 x_batch(const ConvShape& shape) { return shape.groups * shape.in_channels * shape.x_channel; }
KG_DEVICE i64 line_offset(const ConvShape& shape, i32 row) {
  return static_cast<i64>(row) * shape.in_columns;
}

/// Elements of one output channel's kernel.
KG_DEVICE u32 conv_terms(const ConvShape& shape) { return shape.in_channels * shape.kernel_size.extent; }

KG_DEVICE bool inside(i32 index, i32 extent) { return static_cast<u32>(index) < static_cast<u32>(extent); }

/// The pixels [first, last) of a row whose input element is inside the image.
struct Span {
  u32 first, last;
};

/// `column` is the input column of the first of `count` pixels, which are `stride` apart.
KG_DEVICE Span span_inside(i32 column, i32 stride, u32 count, i32 columns) {
  if (is_gpu) return {0, inside(column, columns) ? count : 0};  // one pixel
  i32 before = column < 0 ? -column : 0, within = column < columns ? columns - column : 0;
  if (stride != 1) {
    // Usually all pixels are inside; that case avoids the divisions.
    if (column >= 0 && column + static_cast<i64>(count - 1) * stride < columns) return {0, count};
    before = (before + stride - 1) / stride;
    within = (within + stride - 1) / stride;
  }
  const u32 first = static_cast<u32>(before) < count ? before : count;
  const u32 last = static_cast<u32>(within) < count ? within : count;
  return {first < last ? first : last, last};
}

KG_DEVICE i64 output_offset(const ConvShape& shape, const ConvPixel& pixel, u32 channel) {
  return (pixel.batch * shape.image_channels.extent + channel) * shape.y_channel +
         pixel.output_row * shape.y_row + pixel.output_column * shape.y_column;
}

/// Products that are summed before they are added to the total: two levels of sums have less rounding error than one.
inline constexpr u32 conv_block = 64;

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

/// One output element, in the compute type of T. Positions outside the image are skipped.
template <class T>
KG_DEVICE widened<T> conv_sum(const T* image, const T* weight, const ConvShape& shape, i32 first_row,
                              i32 first_column) {
  widened<T> sum = 0, part = 0;
  for_each_tap(
      image, weight, shape, first_row, first_column,
      [&](const T* element, widened<T> factor, i32 column) KG_INLINE {
        if (inside(column, shape.in_columns)) part = fma(widen(*element), factor, part);
      },
      [&]() KG_INLINE {
        sum += part;
        part = 0;
      });
  return sum;
}

}  // namespace kg::detail
