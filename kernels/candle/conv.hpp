#pragma once
/// candle's kernels on images: convolutions, im2col and col2im, pooling and upsampling. Images and
/// convolution kernels are strided as described by `info`; results are contiguous.
#include "candle/info.hpp"
#include "conv/sum.hpp"
#include "pool/pool.hpp"
#include "pool/upsample.hpp"

namespace kg::candle {

/// The coordinates of an element of a contiguous tensor of N dims, outermost first.
template <int N>
struct Coordinates {
  u64 at[N];
};

template <class Index, int N>
KG_DEVICE Coordinates<N> coordinates_of(u64 i, const Coordinates<N>& extents) {
  Coordinates<N> result;
  Index rest = static_cast<Index>(i);
  KG_UNROLL for (int d = N - 1; d > 0; --d) result.at[d] = take_coordinate(rest, extents.at[d]);
  result.at[0] = rest;
  return result;
}

/// Calls f(i, coordinates) for this thread's share of the elements of a contiguous tensor.
template <int N, class F>
KG_DEVICE void for_each_coordinates(const Coordinates<N>& extents, F f) {
  u64 n = 1;
  KG_UNROLL for (int d = 0; d < N; ++d) n *= extents.at[d];
  const bool small = fits_u32(n);
  for_each_index(n, [&](u64 i) KG_INLINE {
    f(i, small ? coordinates_of<u32>(i, extents) : coordinates_of<u64>(i, extents));
  });
}

/// A strided tensor [outer, inner, rows, columns] with fewer than 2^32 rows and columns.
struct Images {
  u64 outer, inner;
  u32 rows, columns;
  i64 outer_stride, inner_stride, row_stride, column_stride;

  /// Reads Rank dims and strides; Rank 3 means one row.
  template <int Rank>
  static KG_DEVICE Images read(const u64* info) {
    static_assert(Rank == 3 || Rank == 4, "images of one or two dims");
    const u64* strides = info + Rank;
    const auto extent = [=](int d) KG_INLINE { return static_cast<u32>(info[d]); };
    const auto stride = [=](int d) KG_INLINE { return static_cast<i64>(strides[d]); };
    return {info[0],   info[1],   Rank == 3 ? 1 : extent(2), extent(Rank - 1),
            stride(0), stride(1), Rank == 3 ? 0 : stride(2), stride(Rank - 1)};
  }

  KG_DEVICE Images with_planes_swapped() const {
    return {inner, outer, rows, columns, inner_stride, outer_stride, row_stride, column_stride};
  }
  KG_DEVICE i64 plane(u64 o, u64 i) const {
    return static_cast<i64>(o) * outer_stride + static_cast<i64>(i) * inner_stride;
  }
  KG_DEVICE i64 pixel(i64 row, i64 column) const { return row * row_stride + column * column_stride; }
};

KG_DEVICE bool is_within(i64 coordinate, u64 extent) { return static_cast<u64>(coordinate) < extent; }

/// Along one dim, maps output coordinate `at` and kernel element `k` to the input coordinate; out of range if
/// the input has no such coordinate.
struct Slide {
  i64 stride, padding, dilation;

  KG_DEVICE i64 operator()(u64 at, u64 k) const {
    return static_cast<i64>(at) * stride + static_cast<i64>(k) * dilation - padding;
  }
};
/// Slide for transposed convolutions.
struct Spread {
  i64 stride, padding, dilation;

  KG_DEVICE i64 operator()(u64 at, u64 k) const {
    const i64 steps = static_cast<i64>(at) + padding - static_cast<i64>(k) * dilation;
    const u32 whole = static_cast<u32>(steps) / static_cast<u32>(stride);
    return steps >= 0 && steps == whole * stride ? static_cast<i64>(whole) : -1;
  }
};
/// The axis of the single row of one-dimensional images.
template <class Axis>
inline constexpr Axis only_row{1, 0, 1};

/// `kernel` is [out channels, in channels, rows, columns].
template <class Axis, class T>
KG_DEVICE void convolve(const Images& image, const Images& kernel, u64 rows, u64 columns, Axis row_axis,
                        Axis column_axis, const T* x, const T* weight, T* y) {
  using Value = widened<T>;
  for_each_coordinates<4>({image.outer, kernel.outer, rows, columns},
                          [&](u64 i, const Coordinates<4>& to) KG_INLINE {
                            const T* plane = x + image.plane(to.at[0], 0);
                            const T* factors = weight + kernel.plane(to.at[1], 0);
                            Value sum = 0, part = 0;
                            u32 pending = 0;
                            KG_NO_UNROLL for (u32 r = 0; r < kernel.rows; ++r) {
                              const i64 row = row_axis(to.at[2], r);
                              if (!is_within(row, image.rows)) continue;
                              KG_NO_UNROLL for (u32 c = 0; c < kernel.columns; ++c) {
                                const i64 column = column_axis(to.at[3], c);
                                if (!is_within(column, image.columns)) continue;
                                const T* element = plane + image.pixel(row, column);
                                const T* factor = factors + kernel.pixel(r, c);
                                KG_NO_UNROLL for (u64 channel = 0; channel < image.inner; ++channel) {
                                  part = fma(widen(*element), widen(*factor), part);
                                  element += image.inner_stride;
                                  factor += kernel.inner_stride;
                                  if (++pending == kg::detail::conv_block) {
                                    sum = add(sum, part);
                                    part = 0;
                                    pending = 0;
                                  }
                                }
                              }
                            }
                            y[i] = convert<T>(add(sum, part));
                          });
}

/// `info` describes the image [batch, channels, …], then the kernel [out channels, channels, …].
template <int Rank, class T>
KG_DEVICE void conv(u64 rows, u64 columns, u64 stride, u64 padding, u64 dilation, const u64* info, const T* x,
                    const T* weight, T* y) {
  const Slide axis{static_cast<i64>(stride), static_cast<i64>(padding), static_cast<i64>(dilation)};
  convolve(Images::read<Rank>(info), Images::read<Rank>(info + 2 * Rank), rows, columns,
           Rank == 3 ? only_row<Slide> : axis, axis, x, weight, y);
}

/// The kernel is [channels, out channels, …].
template <int Rank, class T>
KG_DEVICE void conv_transpose(u64 rows, u64 columns, u64 stride, u64 padding, u64 dilation, const u64* info,
                              const T* x, const T* weight, T* y) {
  const Spread axis{static_cast<i64>(stride), static_cast<i64>(padding), static_cast<i64>(dilation)};
  convolve(Images::read<Rank>(info), Images::read<Rank>(info + 2 * Rank).with_planes_swapped(), rows, columns,
           Rank == 3 ? only_row<Spread> : axis, axis, x, weight, y);
}

/// y [batch, rows, columns, channels, kernel rows, kernel columns] receives the elements under the kernel;
/// zero outside the image.
template <int Rank, class T>
KG_DEVICE void im2col(u64 rows, u64 columns, u64 kernel_rows, u64 kernel_columns, u64 stride, u64 padding,
                      u64 dilation, const u64* info, const T* x, T* y) {
  const Images image = Images::read<Rank>(info);
  const Slide column_axis{static_cast<i64>(stride), static_cast<i64>(padding), static_cast<i64>(dilation)};
  const Slide row_axis = Rank == 3 ? only_row<Slide> : column_axis;
  for_each_coordinates<6>({image.outer, rows, columns, image.inner, kernel_rows, kernel_columns},
                          [&](u64 i, const Coordinates<6>& to) KG_INLINE {
                            const i64 row = row_axis(to.at[1], to.at[4]);
                            const i64 column = column_axis(to.at[2], to.at[5]);
                            y[i] = is_within(row, image.rows) && is_within(column, image.columns)
                                       ? x[image.plane(to.at[0], to.at[3]) + image.pixel(row, column)]
                                       : T{};
                          });
}

/// The last step of a transposed convolution: x [batch, length, channels, kernel], contiguous, to y [batch,
/// channels, out_length].
template <class T>
KG_DEVICE void col2im1d(u64 n, u64 out_length, u64 length, u64 channels, u64 kernel, u64 stride, const T* x,
                        T* y) {
  const u64 line = channels * out_length;
  for_each_coordinates<3>(
      {line == 0 ? 0 : n / line, channels, out_length}, [&](u64 i, const Coordinates<3>& to) KG_INLINE {
        widened<T> sum = 0;
        const u64 position = to.at[2], step = static_cast<u32>(position) / static_cast<u32>(stride);
        u64 from = step;
        KG_NO_UNROLL for (u64 k = position - step * stride; k < kernel && k <= position; k += stride) {
          if (from < length)
            sum = add(sum, widen(x[((to.at[0] * length + from) * channels + to.at[1]) * kernel + k]));
          --from;
        }
        y[i] = convert<T>(sum);
      });
}

/// A window that slides over images without padding.
struct Window {
  u64 rows, columns, row_stride, column_stride;

  KG_DEVICE Window(u64 rows, u64 columns, u64 row_stride, u64 column_stride)
      : rows(rows), columns(columns), row_stride(row_stride), column_stride(column_stride) {}

  /// Number of window positions along a dim.
  static KG_DEVICE u64 positions(u64 extent, u64 window, u64 stride) {
    return extent < window ? 0 : (extent - window) / stride + 1;
  }
};

/// Calls f(i, corner, image) for this thread's share of the windows; `corner` is the first element of each.
template <class T, class F>
KG_DEVICE void for_each_window(const Window& window, const u64* info, const T* x, F f) {
  const Images image = Images::read<4>(info);
  for_each_coordinates<4>(
      {image.outer, image.inner, Window::positions(image.rows, window.rows, window.row_stride),
       Window::positions(image.columns, window.columns, window.column_stride)},
      [&](u64 i, const Coordinates<4>& to) KG_INLINE {
        const i64 first = image.pixel(static_cast<i64>(to.at[2] * window.row_stride),
                                      static_cast<i64>(to.at[3] * window.column_stride));
        f(i, x + image.plane(to.at[0], to.at[1]) + first, image);
      });
}

template <class T>
KG_DEVICE void max_pool2d(const Window& window, const u64* info, const T* x, T* y) {
  for_each_window(window, info, x, [&](u64 i, const T* corner, const Images& image) KG_INLINE {
    auto largest = widen(*corner);
    KG_NO_UNROLL for (u32 row = 0; row < window.rows; ++row) {
      KG_NO_UNROLL for (u32 column = 0; column < window.columns; ++column) {
        largest = maximum(largest, widen(corner[image.pixel(row, column)]));
      }
    }
    y[i] = convert<T>(largest);
  });
}

template <class T>
KG_DEVICE void avg_pool2d(const Window& window, const u64* info, const T* x, T* y) {
  using Total = decltype(kg::detail::total_of(widened<T>{}));
  const Total size = static_cast<Total>(static_cast<i64>(window.rows * window.columns));
  for_each_window(window, info, x, [&](u64 i, const T* corner, const Images& image) KG_INLINE {
    Total total = 0;
    KG_NO_UNROLL for (u32 row = 0; row < window.rows; ++row) {
      // Sums one row at a time, for accuracy.
      Total sum = 0;
      KG_NO_UNROLL for (u32 column = 0; column < window.columns; ++column) {
        sum += kg::detail::total_of(widen(corner[image.pixel(row, column)]));
      }
      total += sum;
    }
    y[i] = convert<T>(total / size);
  });
}

/// The scales are input elements per output element.
template <class T>
KG_DEVICE void upsample_nearest2d(u64 rows, u64 columns, f64 row_scale, f64 column_scale, const u64* info,
                                  const T* x, T* y) {
  const Images image = Images::read<4>(info);
  const auto nearest = [](u64 at, f64 scale, u32 extent) KG_INLINE {
    return static_cast<i64>(kg::detail::nearest(static_cast<u32>(at), scale, extent));
  };
  for_each_coordinates<4>({image.outer, image.inner, rows, columns}, [&](u64 i,
                                                                         const Coordinates<4>& to) KG_INLINE {
    y[i] = x[image.plane(to.at[0], to.at[1]) + image.pixel(nearest(to.at[2], row_scale, image.rows),
                                                           nearest(to.at[3], column_scale, image.columns))];
  });
}

/// How bilinear upsampling computes positions along a dim. `factor`, if `given`, is output elements per input
/// element.
struct Scale {
  bool given;
  f64 factor;

  KG_DEVICE Scale(bool given, f64 factor) : given(given), factor(factor) {}

  /// Input elements per output element.
  KG_DEVICE f64 step(u64 in, u64 out, bool align_corners) const {
    const auto count = [](u64 n) KG_INLINE { return static_cast<f64>(static_cast<i64>(n)); };
    if (!align_corners) return given ? 1.0 / factor : count(in) / count(out);
    return out > 1 ? count(in - 1) / count(out - 1) : 0.0;
  }
};

template <class T>
KG_DEVICE void upsample_bilinear2d(u64 rows, u64 columns, bool align_corners, Scale row_scale,
                                   Scale column_scale, const u64* info, const T* x, T* y) {
  using F = typename kg::detail::Interpolated<widened<T>>::type;
  using Between = kg::detail::Between<F>;
  const Images image = Images::read<4>(info);
  const f64 row_step = row_scale.step(image.rows, rows, align_corners);
  const f64 column_step = column_scale.step(image.columns, columns, align_corners);
  const f64 center = align_corners ? 0.0 : 0.5;
  for_each_coordinates<4>({image.outer, image.inner, rows, columns}, [&](u64 i,
                                                                         const Coordinates<4>& to) KG_INLINE {
    const Between row(static_cast<u32>(to.at[2]), row_step, center, image.rows);
    const Between column(static_cast<u32>(to.at[3]), column_step, center, image.columns);
    const T* plane = x + image.plane(to.at[0], to.at[1]);
    const auto at = [&](u32 line) KG_INLINE {
      return kg::detail::mix(column.first_weight, column.second_weight,
                             static_cast<F>(widen(plane[image.pixel(line, column.first)])),
                             static_cast<F>(widen(plane[image.pixel(line, column.second)])));
    };
    y[i] = convert<T>(kg::detail::mix(row.first_weight, row.second_weight, at(row.first), at(row.second)));
  });
}

}  // namespace kg::candle
