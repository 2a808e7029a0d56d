#pragma once
/// As conv/col2im_gpu.hpp, in vectors of adjacent outputs.
#include "conv/segment_cpu.hpp"

namespace kg {

namespace detail {

/// Adds the products in `line`, a row of the input's plane for one kernel element, to the sums of adjacent outputs. The element
/// falls on `column` for the first of them.
template <class Sum>
KG_DEVICE void add_products(Sum* sum, u32 count, const Sum* line, i32 column, const ConvShape& shape) {
  if (const u32 spacing = shape.column_spacing.extent; spacing != 1) {
    u32 j = 0;  // the first output on whose position an element is
    while (j < count && (column + static_cast<i32>(j) < 0 || (column + j) % spacing != 0)) ++j;
    for (i32 at = (column + static_cast<i32>(j)) / static_cast<i32>(spacing);
         j < count && at < shape.in_columns; ++at, j += spacing)
      sum[j] += line[at];
    return;
  }
  const Span span = span_inside(column, shape.column_stride, count, shape.in_columns);
  with_stride(shape.column_stride, [&](auto stride) KG_INLINE {
    for_each_of_run(span.first, span.last, [&](i64 j) KG_INLINE { sum[j] += line[column + j * stride]; });
  });
}

}  // namespace detail

template <class T>
KG_DEVICE void conv_col2im(const b8* products, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  const ImagePiece piece{shape.columns, shape.rows,
                         shape.batch * shape.image_channels.extent * shape.rows.extent * shape.columns.extent,
                         0};
  for_each_span(piece, [&](const Run& run) KG_INLINE {
    const auto* plane = reinterpret_cast<const Sum*>(products) +
                        static_cast<u64>(run.plane) * shape.kernel_size.extent * shape.x_channel;
    const i32 first_row = static_cast<i32>(run.row) * shape.row_stride - shape.row_padding,
              first_column = static_cast<i32>(run.column) * shape.column_stride - shape.column_padding;
    Sum sum[run_length];
    for (u32 j = 0; j < run.count; ++j) sum[j] = 0;
    for (u32 r = 0; r < shape.kernel_rows; ++r) {
      i32 row = first_row + static_cast<i32>(r) * shape.row_dilation;
      const bool exists = detail::is_element(row, shape.row_spacing, shape.in_rows);
      for (u32 c = 0; c < shape.kernel_columns.extent; ++c, plane += shape.x_channel)
        if (exists)
          detail::add_products(sum, run.count, plane + detail::line_offset(shape, row),
                               first_column + static_cast<i32>(c) * shape.column_dilation, shape);
    }
    T* const target = y + run.plane * shape.y_channel + run.row * shape.y_row + run.column * shape.y_column;
    for (u32 j = 0; j < run.count; ++j) target[j * shape.y_column] = convert<T>(sum[j]);
  });
}

}  // namespace kg
