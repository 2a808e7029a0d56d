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

/// Elements from one image of x to the next.
KG_DEVICE i64 x_batch(const ConvShape& shape) { return shape.groups * shape.in_channels * shape.x_channel; }
/// Offset of a row in its input plane, which is contiguous.
KG_DEVICE i64 line_offset(const ConvShape& shape, i32 row) {
  return static_cast<i64>(row) * shape.in_columns;
}

/// Elements of one output channel's kernel.
KG_DEVICE u32 conv_terms(const ConvShape& shape) { return shape.in_channels * shape.kernel_size.extent; }

KG_DEVICE bool inside(i32 index, i32 extent) { return static_cast<u32>(index) < static_cast<u32>(extent); }

KG_DEVICE i64 output_offset(const ConvShape& shape, const ConvPixel& pixel, u32 channel) {
  return (pixel.batch * shape.image_channels.extent + channel) * shape.y_channel +
         pixel.output_row * shape.y_row + pixel.output_column * shape.y_column;
}

/// Products that are summed before they are added to the total: two levels of sums have less rounding error than one.
inline constexpr u32 conv_block = 64;

/// The start of an output channel's weights; `channel` is counted in its group.
KG_DEVICE u64 kernel_offset(const ConvShape& shape, u32 group, u32 channel) {
  return static_cast<u64>(group * shape.out_channels) * conv_terms(shape) +
         static_cast<u64>(channel) * shape.weight_out;
}

/// An output element: its group's first input plane, its channel's weights, where it is stored, and the input position of its
/// kernel's first element.
template <class T>
struct ConvOutput {
  const T* image;
  const T* kernel;
  T* target;
  i32 row, column;

  /// `plane` is counted over the images' output channels.
  KG_DEVICE ConvOutput(const T* x, const T* weight, T* y, const ConvShape& shape, u32 plane, u32 output_row,
                       u32 output_column) {
    const u32 batch = divide(plane, shape.image_channels);
    const u32 channel = plane - batch * shape.image_channels.extent;
    const u32 group = divide(channel, shape.channels);
    image = x + batch * x_batch(shape) + group * shape.in_channels * shape.x_channel;
    kernel = weight + kernel_offset(shape, group, channel - group * shape.out_channels);
    row = static_cast<i32>(output_row) * shape.row_stride - shape.row_padding;
    column = static_cast<i32>(output_column) * shape.column_stride - shape.column_padding;
    target = y + output_offset(shape, {batch, output_row, output_column, row, column}, channel);
  }
};

/// A term of an output element: the product of a weight and an element of an input channel. `tap` is the weight's index in the
/// kernel of that channel, where it is at (row, column). An index past the last term gives a channel past the last.
struct ConvTerm {
  u32 channel, tap, row, column;

  KG_DEVICE ConvTerm(const ConvShape& shape, u32 index) {
    channel = divide(index, shape.kernel_size);
    tap = index - channel * shape.kernel_size.extent;
    row = divide(tap, shape.kernel_columns);
    column = tap - row * shape.kernel_columns.extent;
  }
  /// From an output channel's first weight.
  KG_DEVICE u64 weight(const ConvShape& shape) const { return u64{channel} * shape.weight_in + tap; }
};

/// Whether `position` is an element of an input dim whose elements are `spacing` apart; if so, replaces it by the element's index.
KG_DEVICE bool is_element(i32& position, const Divisor& spacing, i32 extent) {
  const i32 given = position;
  const u32 index = divide(static_cast<u32>(given), spacing);
  position = static_cast<i32>(index);
  return given >= 0 & position < extent & index * spacing.extent == static_cast<u32>(given);
}

/// One output element, in the compute type of T. Positions outside the image are skipped. `weight` is the start of the channel's
/// weights; (first_row, first_column) is the position of the kernel's first element.
template <class T>
KG_DEVICE widened<T> conv_sum(const T* image, const T* weight, const ConvShape& shape, i32 first_row,
                              i32 first_column) {
  widened<T> sum = 0, part = 0;
  KG_NO_UNROLL for (u32 i = 0; i < conv_terms(shape); ++i) {
    const ConvTerm term(shape, i);
    i32 row = first_row + static_cast<i32>(term.row) * shape.row_dilation;
    i32 column = first_column + static_cast<i32>(term.column) * shape.column_dilation;
    if (is_element(row, shape.row_spacing, shape.in_rows) &&
        is_element(column, shape.column_spacing, shape.in_columns)) {
      const T* const element = image + term.channel * shape.x_channel + line_offset(shape, row) + column;
      const T* const factor = weight + term.weight(shape);
      part = fma(static_cast<widened<T>>(widen(*element)), static_cast<widened<T>>(widen(*factor)), part);
    }
    if (i % conv_block != conv_block - 1) continue;
    sum += part;
    part = 0;
  }
  return sum + part;
}

}  // namespace kg::detail
