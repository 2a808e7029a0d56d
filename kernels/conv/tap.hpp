#pragma once
#include "conv/sum.hpp"

namespace kg::detail {

/// The row of elements that do not exist: added to any other row, it is outside every image.
inline constexpr i32 no_row = -0x7fffffff - 1;

/// A kernel element of an input channel: the offset of its input element from that of the kernel's first element. Its input element
/// for an output is at the sum of this offset and that of the output's ConvOutputPosition, if the sums of the rows and of the
/// columns are inside the image. Elements past the last input channel do not exist.
struct alignas(16) ConvTap {
  i64 element;
  i32 row, column;

  ConvTap() = default;
  KG_DEVICE ConvTap(const ConvShape& shape, u32 index) {
    const ConvTerm term(shape, index);
    row = static_cast<i32>(term.row) * shape.row_dilation;
    column = static_cast<i32>(term.column) * shape.column_dilation;
    element = term.channel * shape.x_channel + line_offset(shape, row) + column;
    if (term.channel >= shape.in_channels) row = no_row;
  }
  KG_DEVICE bool exists() const { return row != no_row; }
};

/// An output element of a tile, in a group's first channel, with the input position of its kernel's first
/// element.
struct ConvOutputPosition {
  i64 element, output;
  i32 row, column;

  ConvOutputPosition() = default;
  KG_DEVICE ConvOutputPosition(const ConvShape& shape, const ConvPixel& pixel)
      : element(pixel.batch * x_batch(shape) + line_offset(shape, pixel.row) + pixel.column),
        output(output_offset(shape, pixel, 0)),
        row(pixel.row),
        column(pixel.column) {}
};

}  // namespace kg::detail
