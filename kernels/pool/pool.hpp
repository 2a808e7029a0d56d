#pragma once
/// Pooling: windows that slide over images without padding.
#include "device/arithmetic.hpp"
#include "device/convert.hpp"
#include "engines/image.hpp"

namespace kg {
namespace detail {

/// Calls f(most, corner, target, offset, step, count): the maximum number of windows as a constant, the first window, the
/// destination of its result, the offset of the j-th window, the stride of results, and the number of windows. Windows are
/// vertically adjacent on a GPU, so that loads of consecutive threads are coalesced, and horizontally adjacent on a CPU. A GPU
/// computes `most` of them: those past the last repeat it.
template <class T, class F>
KG_DEVICE void for_each_windows(const T* x, T* y, const ImagePatches& patches, const PoolShape& shape, F f) {
  const auto corner_of = [&](u32 plane, u32 first_row, u32 column) KG_INLINE {
    const u64 row = static_cast<u64>(plane) * shape.rows + static_cast<u64>(first_row) * shape.row_stride;
    return x + row * shape.columns + static_cast<u64>(column) * shape.column_stride;
  };
  const auto first_only = [](i64) KG_INLINE { return i64{0}; };
  if constexpr (is_gpu) {
    for_each_patch<pool_patch_columns>(patches, [&](const Patch& patch) KG_INLINE {
      const T* const corner = corner_of(patch.plane, patch.row, patch.column);
      T* const target = y + patch.index;
      if (patches.patch_rows == 1) return f(Constant<1>{}, corner, target, first_only, Constant<1>{}, 1);
      const i64 stride = static_cast<i64>(shape.row_stride) * shape.columns, last = patch.height - 1;
      f(
          Constant<most_rows_at_once>{}, corner, target,
          [&](i64 j) KG_INLINE { return (j < last ? j : last) * stride; },
          static_cast<i64>(patches.piece.columns.extent), patch.height);
    });
  } else {
    // Too few for arrays of sums: each window is processed alone, with its sum in a register
    constexpr u32 few = 16;
    for_each_span(patches.piece, [&](const Run& run) KG_INLINE {
      const T* corner = corner_of(run.plane, run.row, run.column);
      if (run.count < few) {
        T* target = y + run.index;
        KG_NO_UNROLL for (u32 j = 0; j < run.count; ++j, corner += shape.column_stride)
            f(Constant<1>{}, corner, target + j, first_only, Constant<1>{}, 1);
        return;
      }
      with_stride(shape.column_stride, [&](auto stride) KG_INLINE {
        f(
            Constant<run_length>{}, corner, y + run.index, [&](i64 j) KG_INLINE { return j * stride; },
            Constant<1>{}, run.count);
      });
    });
  }
}

/// Calls f(column) for a window's columns. On a GPU, common widths have fully unrolled loops, whose loads
/// share one address.
template <class F>
KG_DEVICE void for_each_kernel_column(u32 columns, F f) {
  if constexpr (is_gpu) {
    if (columns == 2) {
      KG_UNROLL for (u32 column = 0; column < 2; ++column) f(column);
      return;
    }
    if (columns == 3) {
      KG_UNROLL for (u32 column = 0; column < 3; ++column) f(column);
      return;
    }
  }
  KG_NO_UNROLL for (u32 column = 0; column < columns; ++column) f(column);
}

/// Stores value(j) for the j-th window, `step` apart.
template <u32 windows, class T, class Step, class F>
KG_DEVICE void store_pooled(T* target, Step step, u32 count, F value) {
  for_each_unrolled<windows>(count, [&](i64 j) KG_INLINE {
    if (!is_gpu || j < count) target[j * step] = value(j);
  });
}

KG_DEVICE f32 total_of(f32 x) { return x; }
KG_DEVICE f64 total_of(f64 x) { return x; }
template <class T>
KG_DEVICE i64 total_of(T x) {
  return static_cast<i64>(x);
}

}  // namespace detail

/// NaN propagates.
template <class T>
KG_DEVICE void max_pool2d(const T* x, T* y, const ImagePatches& patches, const PoolShape& shape) {
  using Computed = widened<T>;
  detail::for_each_windows(
      x, y, patches, shape,
      [&](auto most, const T* corner, T* target, auto offset, auto step, u32 count) KG_INLINE {
        constexpr u32 windows = decltype(most)::value;
        Computed largest[windows];
        for_each_unrolled<windows>(count, [&](i64 j) KG_INLINE { largest[j] = widen(corner[offset(j)]); });
        KG_NO_UNROLL for (u32 row = 0; row < shape.kernel_rows; ++row) {
          const T* line = corner + static_cast<u64>(row) * shape.columns;
          detail::for_each_kernel_column(shape.kernel_columns, [&](u32 column) KG_INLINE {
            const T* element = line + column;
            for_each_unrolled<windows>(count, [&](i64 j) KG_INLINE {
              largest[j] = maximum(largest[j], Computed(widen(element[offset(j)])));
            });
          });
        }
        detail::store_pooled<windows>(target, step, count,
                                      [&](i64 j) KG_INLINE { return convert<T>(largest[j]); });
      });
}

/// For integers, the 64-bit sum divided toward zero.
template <class T>
KG_DEVICE void avg_pool2d(const T* x, T* y, const ImagePatches& patches, const PoolShape& shape) {
  using Total = decltype(detail::total_of(widened<T>{}));
  const Total size = static_cast<Total>(static_cast<i64>(shape.kernel_rows) * shape.kernel_columns);
  detail::for_each_windows(
      x, y, patches, shape,
      [&](auto most, const T* corner, T* target, auto offset, auto step, u32 count) KG_INLINE {
        constexpr u32 windows = decltype(most)::value;
        Total total[windows];
        for_each_unrolled<windows>(count, [&](i64 j) KG_INLINE { total[j] = 0; });
        KG_NO_UNROLL for (u32 row = 0; row < shape.kernel_rows; ++row) {
          const T* line = corner + static_cast<u64>(row) * shape.columns;
          // Sums one row at a time, for accuracy.
          Total sum[windows];
          for_each_unrolled<windows>(count, [&](i64 j) KG_INLINE { sum[j] = 0; });
          detail::for_each_kernel_column(shape.kernel_columns, [&](u32 column) KG_INLINE {
            const T* element = line + column;
            for_each_unrolled<windows>(
                count, [&](i64 j) KG_INLINE { sum[j] += detail::total_of(widen(element[offset(j)])); });
          });
          for_each_unrolled<windows>(count, [&](i64 j) KG_INLINE { total[j] += sum[j]; });
        }
        detail::store_pooled<windows>(target, step, count,
                                      [&](i64 j) KG_INLINE { return convert<T>(total[j] / size); });
      });
}

}  // namespace kg
