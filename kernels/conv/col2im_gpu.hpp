#pragma once
/// The last step of a convolution by a matrix product, which multiplied all elements of the input by all kernel elements.
#include "conv/direct_gpu.hpp"

namespace kg {

namespace detail {

/// The kernel elements along one dim that fall on elements of the input: every `step`-th from `first` on. Each falls `move`
/// elements after the one before, the first on `position`. Positions may be outside the input.
struct TapLine {
  u32 first, step;
  i32 position, move;

  /// Kernel element k falls on start + k · dilation, in an input whose elements are `spacing` apart.
  KG_DEVICE TapLine(i32 start, i32 dilation, const Divisor& spacing, u32 kernel)
      : first(0), step(1), position(start), move(dilation) {
    if (spacing.extent == 1) return;
    first = step = kernel;
    KG_NO_UNROLL for (u32 k = 0; k < kernel; ++k) {  // dilations of spaced inputs are negative
      const i32 at = start + static_cast<i32>(k) * dilation;
      if (at < 0) return;
      const i32 index = static_cast<i32>(divide(static_cast<u32>(at), spacing));
      if (index * static_cast<i32>(spacing.extent) != at) continue;
      if (first < kernel) {
        step = k - first;
        move = index - position;
        return;
      }
      first = k;
      position = index;
    }
  }
};

/// The sums of products of an output's pixel in `conv_col2im_channels` channels, over every `group.size`-th row of the kernel.
/// `planes` are those of the first channel; the last `missing` channels do not exist.
template <class Sum>
KG_DEVICE void sum_products(const Sum* planes, u32 missing, const ConvShape& shape, const ConvPixel& pixel,
                            const Group& group, Sum* sum) {
  constexpr u32 channels = conv_col2im_channels, together = 2;  // taps whose loads are in flight
  const TapLine rows(pixel.row, shape.row_dilation, shape.row_spacing, shape.kernel_rows);
  const TapLine columns(pixel.column, shape.column_dilation, shape.column_spacing,
                        shape.kernel_columns.extent);
  const Sum* first[channels];
  KG_UNROLL for (u32 n = 0; n < channels; ++n) {
    sum[n] = 0;
    first[n] = planes + (n + missing < channels ? n : 0) * shape.kernel_size.extent * shape.x_channel;
  }
  i32 row = rows.position + static_cast<i32>(group.rank) * rows.move;
  KG_NO_UNROLL for (u32 r = rows.first + group.rank * rows.step; r < shape.kernel_rows;
                    r += group.size * rows.step) {
    if (inside(row, shape.in_rows)) {
      const i64 line = r * shape.kernel_columns.extent * shape.x_channel + line_offset(shape, row);
      i32 column = columns.position;
      KG_NO_UNROLL for (u32 c = columns.first; c < shape.kernel_columns.extent;
                        c += together * columns.step) {
        Sum product[together][channels];
        bool exists[together];
        KG_UNROLL for (u32 k = 0; k < together; ++k) {
          const u32 tap = c + k * columns.step;
          exists[k] = tap < shape.kernel_columns.extent & inside(column, shape.in_columns);
          // The first element always exists: conditional loads would wait for each other.
          const i64 offset = line + (exists[k] ? tap * shape.x_channel + column : 0);
          KG_UNROLL for (u32 n = 0; n < channels; ++n) product[k][n] = first[n][offset];
          column += columns.move;
        }
        KG_UNROLL for (u32 k = 0; k < together; ++k) KG_UNROLL for (u32 n = 0; n < channels; ++n) sum[n] =
            exists[k] ? sum[n] + product[k][n] : sum[n];
      }
    }
    row += static_cast<i32>(group.size) * rows.move;
  }
}

}  // namespace detail

/// Adds the products of input elements by kernel elements, which are in the compute type of T: those of output channel o, counted
/// over the images, are the `kernel_size` planes of `products` from o · kernel_size on. Groups of threads, as large as the grid has
/// threads for, share the products of a pixel in a few channels.
template <class T>
KG_DEVICE void conv_col2im(const b8* products, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  constexpr u32 channels = conv_col2im_channels;
  const auto* const planes = reinterpret_cast<const Sum*>(products);
  const u32 outs = shape.batch * shape.image_channels.extent;
  const u32 tasks = (outs + channels - 1) / channels * shape.rows.extent * shape.columns.extent;
  const Group group = detail::conv_group(tasks);
  for (u64 at = u64{block_index()} * group.count; at < tasks; at += u64{grid_size()} * group.count) {
    const bool works = group.index < group.count && at + group.index < tasks;
    const detail::ConvPixel pixel = detail::conv_pixel(shape, works ? static_cast<u32>(at) + group.index : 0);
    const u32 first = pixel.batch * channels,
              missing = outs - first < channels ? channels - (outs - first) : 0;
    Sum sum[channels];
    detail::sum_products(planes + static_cast<u64>(first) * shape.kernel_size.extent * shape.x_channel,
                         missing, shape, pixel, group, sum);
    T* const target =
        y + first * shape.y_channel + pixel.output_row * shape.y_row + pixel.output_column * shape.y_column;
    KG_UNROLL for (u32 n = 0; n < channels; ++n) {
      sum[n] = group_reduce(group, sum[n], [](auto a, auto b) KG_INLINE { return a + b; });
      if (works && group.rank == 0 && n + missing < channels)
        target[n * shape.y_channel] = convert<T>(sum[n]);
    }
  }
}

}  // namespace kg
