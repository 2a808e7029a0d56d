#pragma once
/// Windows that slide over images, without padding.
#include "arithmetic.hpp"
#include "device/convert.hpp"
#include "device/image.hpp"

namespace kg {
namespace detail {

/// The window's first element for the first of a run.
template <class T>
KG_DEVICE const T* window(const T* x, const PoolShape& shape, const Run& run) {
  const u64 row = static_cast<u64>(run.plane) * shape.rows + static_cast<u64>(run.row) * shape.row_stride;
  return x + row * shape.columns + static_cast<u64>(run.column) * shape.column_stride;
}

KG_DEVICE f32 total_of(f32 x) { return x; }
KG_DEVICE f64 total_of(f64 x) { return x; }
template <class T>
KG_DEVICE i64 total_of(T x) {
  return static_cast<i64>(x);
}

}  // namespace detail

/// NaN wins.
template <class T>
KG_DEVICE void max_pool2d(const T* x, T* y, const ImagePiece& piece, const PoolShape& shape) {
  using Computed = widened<T>;
  for_each_run(piece, [&](const Run& run) KG_INLINE {
    with_stride(shape.column_stride, [&](auto stride) KG_INLINE {
      Computed largest[run_length];
      const T* corner = detail::window(x, shape, run);
      for (i64 j = 0; j < run.count; ++j) largest[j] = widen(corner[j * stride]);
      KG_NO_UNROLL for (u32 row = 0; row < shape.kernel_rows; ++row)
          KG_NO_UNROLL for (u32 column = 0; column < shape.kernel_columns; ++column) {
        const T* element = corner + static_cast<u64>(row) * shape.columns + column;
        for (i64 j = 0; j < run.count; ++j)
          largest[j] = maximum(largest[j], Computed(widen(element[j * stride])));
      }
      for (i64 j = 0; j < run.count; ++j) y[run.index + j] = convert<T>(largest[j]);
    });
  });
}

/// Integers: the 64-bit sum, divided toward zero.
template <class T>
KG_DEVICE void avg_pool2d(const T* x, T* y, const ImagePiece& piece, const PoolShape& shape) {
  using Total = decltype(detail::total_of(widened<T>{}));
  const Total size = static_cast<Total>(static_cast<i64>(shape.kernel_rows) * shape.kernel_columns);
  for_each_run(piece, [&](const Run& run) KG_INLINE {
    with_stride(shape.column_stride, [&](auto stride) KG_INLINE {
      Total total[run_length];
      const T* corner = detail::window(x, shape, run);
      for (i64 j = 0; j < run.count; ++j) total[j] = 0;
      KG_NO_UNROLL for (u32 row = 0; row < shape.kernel_rows; ++row) {
        // A row at a time: two short sums lose less than one long one.
        Total sum[run_length];
        for (i64 j = 0; j < run.count; ++j) sum[j] = 0;
        KG_NO_UNROLL for (u32 column = 0; column < shape.kernel_columns; ++column) {
          const T* element = corner + static_cast<u64>(row) * shape.columns + column;
          for (i64 j = 0; j < run.count; ++j) sum[j] += detail::total_of(widen(element[j * stride]));
        }
        for (i64 j = 0; j < run.count; ++j) total[j] += sum[j];
      }
      for (i64 j = 0; j < run.count; ++j) y[run.index + j] = convert<T>(total[j] / size);
    });
  });
}

}  // namespace kg
