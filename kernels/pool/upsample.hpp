#pragma once
/// Upsampling of images. Input positions are computed in f64 from steps that the caller divided, so that they
/// are the same on every device.
#include "device/compact_code.hpp"
#include "device/convert.hpp"
#include "device/math.hpp"
#include "engines/image.hpp"

namespace kg {

namespace detail {

KG_DEVICE f64 coordinate(u32 index) { return static_cast<f64>(static_cast<i32>(index)); }

/// The element at or before output element `index`: min(floor(index · step), extent - 1).
KG_DEVICE u32 nearest(u32 index, f64 step, u32 extent) {
  const f64 source = coordinate(index) * step, last = coordinate(extent - 1);
  return static_cast<u32>(static_cast<i32>(source < last ? source : last));
}

/// Interpolates two elements with weights whose sum is exactly 1. An element with weight 0 is ignored, even
/// if it is infinite.
template <class F>
KG_DEVICE F mix(F first_weight, F second_weight, F a, F b) {
  return second_weight == 0 ? a : fma(second_weight, b, first_weight * a);
}

/// Two adjacent elements and their weights.
template <class F>
struct Between {
  u32 first, second;
  F first_weight, second_weight;

  KG_DEVICE Between(u32 index, f64 step, f64 center, u32 extent) {
    const f64 last = coordinate(extent - 1);
    f64 source = (coordinate(index) + center) * step - center;
    source = source > 0.0 ? source : 0.0;
    source = source < last ? source : last;
    first = static_cast<u32>(static_cast<i32>(source));
    second = first + 1 < extent ? first + 1 : first;
    first_weight = F(1) - static_cast<F>(source - coordinate(first));
    second_weight = F(1) - first_weight;
  }
};

template <class T>
struct Interpolated {
  using type = f64;
};
template <>
struct Interpolated<f32> {
  using type = f32;
};

/// Calls f(width) with the number of columns per thread, as a constant. On a GPU, narrow images use fewer
/// columns, to avoid computing positions that do not exist; on CUDA, patches may have one.
template <class T, class F>
KG_DEVICE void with_width(const ImagePatches& patches, F f) {
  constexpr i64 narrow = 2, wide = is_gpu ? patch_columns(sizeof(T)) : cpu_patch_columns;
  if constexpr (!is_one_of_many_targets) {
    if (patches.across.extent == patches.piece.columns.extent) return f(Constant<1>{});
  }
  if constexpr (is_gpu && wide > narrow) {
    if (patches.piece.columns.extent <= narrow) return f(Constant<narrow>{});
  }
  f(Constant<wide>{});
}

template <u32 width, class T>
KG_DEVICE void upsample_nearest2d(const T* x, T* y, const ImagePatches& patches, u32 rows, u32 columns,
                                  f64 row_step, f64 column_step) {
  const SpanStores stores(static_cast<u64>(patches.piece.elements) * sizeof(T));
  u32 source[width], source_column = patches.piece.columns.extent;
  for_each_patch<width>(patches, [&](const Patch& patch) KG_INLINE {
    u32 held = rows;
    T values[width];
    if (is_gpu || source_column != patch.column) {
      for_each_unrolled<width>(patch.width, [&](i64 j) KG_INLINE {
        source[j] = nearest(patch.column + static_cast<u32>(j), column_step, columns);
      });
      source_column = patch.column;
    }
    KG_NO_UNROLL for (u32 r = 0; r < patch.height; ++r) {
      const u32 row = nearest(patch.row + r, row_step, rows);
      if (row != held) {
        const T* line = x + (static_cast<u64>(patch.plane) * rows + row) * columns;
        for_each_unrolled<width>(patch.width, [&](i64 j) KG_INLINE { values[j] = line[source[j]]; });
        held = row;
      }
      store_columns(y + patch.index + r * patches.piece.columns.extent, values, patch.width, stores);
    }
  });
}

template <u32 width, class T>
KG_DEVICE void upsample_bilinear2d(const T* x, T* y, const ImagePatches& patches, u32 rows, u32 columns,
                                   f64 row_step, f64 column_step, f64 center) {
  using F = typename Interpolated<widened<T>>::type;
  const SpanStores stores(static_cast<u64>(patches.piece.elements) * sizeof(T));
  u32 first[width], second[width], between_column = patches.piece.columns.extent;
  F first_weight[width], second_weight[width];
  for_each_patch<width>(patches, [&](const Patch& patch) KG_INLINE {
    if (is_gpu || between_column != patch.column) {
      for_each_unrolled<width>(patch.width, [&](i64 j) KG_INLINE {
        const Between<F> column(patch.column + static_cast<u32>(j), column_step, center, columns);
        first[j] = column.first;
        second[j] = column.second;
        first_weight[j] = column.first_weight;
        second_weight[j] = column.second_weight;
      });
      between_column = patch.column;
    }
    // Input rows interpolated between columns. Consecutive output rows often use the same input rows.
    F upper[width], lower[width];
    u32 upper_row = rows, lower_row = rows;
    const auto mix_row = [&](u32 row, F(&mixed)[width]) KG_INLINE {
      const T* line = x + (static_cast<u64>(patch.plane) * rows + row) * columns;
      for_each_unrolled<width>(patch.width, [&](i64 j) KG_INLINE {
        mixed[j] = mix(first_weight[j], second_weight[j], static_cast<F>(widen(line[first[j]])),
                       static_cast<F>(widen(line[second[j]])));
      });
    };
    KG_NO_UNROLL for (u32 r = 0; r < patch.height; ++r) {
      const Between<F> row(patch.row + r, row_step, center, rows);
      if (row.first != upper_row) {
        if (row.first == lower_row)
          for_each_unrolled<width>(patch.width, [&](i64 j) KG_INLINE { upper[j] = lower[j]; });
        else
          mix_row(row.first, upper);
        upper_row = row.first;
      }
      if (row.second != lower_row) {
        mix_row(row.second, lower);
        lower_row = row.second;
      }
      T values[width];
      for_each_unrolled<width>(patch.width, [&](i64 j) KG_INLINE {
        values[j] = convert<T>(mix(row.first_weight, row.second_weight, upper[j], lower[j]));
      });
      store_columns(y + patch.index + r * patches.piece.columns.extent, values, patch.width, stores);
    }
  });
}

}  // namespace detail

/// `rows` and `columns` are the input's; the steps are input elements per output element.
template <class T>
KG_DEVICE void upsample_nearest2d(const T* x, T* y, const ImagePatches& patches, u32 rows, u32 columns,
                                  f64 row_step, f64 column_step) {
  detail::with_width<T>(patches, [&](auto width) KG_INLINE {
    detail::upsample_nearest2d<decltype(width)::value>(x, y, patches, rows, columns, row_step, column_step);
  });
}

#if KG_GPU
/// Output element i is at input position (i + center) · step - center. Narrow floats and f32 are computed in
/// f32, other types in f64.
template <class T>
KG_DEVICE void upsample_bilinear2d(const T* x, T* y, const ImagePatches& patches, u32 rows, u32 columns,
                                   f64 row_step, f64 column_step, f64 center) {
  detail::with_width<T>(patches, [&](auto width) KG_INLINE {
    detail::upsample_bilinear2d<decltype(width)::value>(x, y, patches, rows, columns, row_step, column_step,
                                                        center);
  });
}
#endif

}  // namespace kg

#if !KG_GPU
#include "pool/upsample_cpu.hpp"
#endif
