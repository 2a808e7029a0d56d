#pragma once
#include "engines/conv_sum.hpp"

namespace kg::detail {

/// A kernel element: where its input element lies, from that of the kernel's first.
struct ConvTap {
  i64 element;
  i32 row, column;
  bool exists;

  ConvTap() = default;
  KG_DEVICE ConvTap(const ConvShape& shape, u32 index) {
    const u32 channel = divide(index, shape.kernel_size);
    const u32 rest = index - channel * shape.kernel_size.extent, r = divide(rest, shape.kernel_columns);
    const u32 c = rest - r * shape.kernel_columns.extent;
    exists = channel < shape.in_channels;
    row = static_cast<i32>(r) * shape.row_dilation;
    column = static_cast<i32>(c) * shape.column_dilation;
    element = channel * shape.x_channel + line_offset(shape, row) + column;
  }
};

}  // namespace kg::detail
