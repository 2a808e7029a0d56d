#pragma once
/// Images at another size. Where an output element looks in the input is computed in f64, from steps that the
/// caller divided, so that it is the same on every device.
#include "device/convert.hpp"
#include "device/image.hpp"
#include "device/math.hpp"

namespace kg {

namespace detail {

KG_DEVICE f64 coordinate(u32 index) { return static_cast<f64>(static_cast<i32>(index)); }

/// The element at or before output element `index`: min(floor(index · step), extent - 1).
KG_DEVICE u32 nearest(u32 index, f64 step, u32 extent) {
  const f64 source = coordinate(index) * step, last = coordinate(extent - 1);
  return static_cast<u32>(static_cast<i32>(source < last ? source : last));
}

/// Two neighbours and their weights, which add up to 1 exactly.
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

  /// A neighbour of no weight has no say, even where it is infinite.
  KG_DEVICE F mix(F a, F b) const { return second_weight == 0 ? a : fma(second_weight, b, first_weight * a); }
};

template <class T>
struct Interpolated {
  using type = f64;
};
template <>
struct Interpolated<f32> {
  using type = f32;
};

}  // namespace detail

/// `rows` and `columns` are the input's, the steps input elements an output element.
template <class T>
KG_DEVICE void upsample_nearest2d(const T* x, T* y, const ImagePiece& piece, u32 rows, u32 columns,
                                  f64 row_step, f64 column_step) {
  for_each_run(piece, [&](const Run& run) KG_INLINE {
    const u64 row = static_cast<u64>(run.plane) * rows + detail::nearest(run.row, row_step, rows);
    const T* line = x + row * columns;
    for (u32 j = 0; j < run.count; ++j)
      y[run.index + j] = line[detail::nearest(run.column + j, column_step, columns)];
  });
}

/// Output element i lies at (i + center) · step - center. Narrow floats and f32 are computed in f32, all
/// else in f64.
template <class T>
KG_DEVICE void upsample_bilinear2d(const T* x, T* y, const ImagePiece& piece, u32 rows, u32 columns,
                                   f64 row_step, f64 column_step, f64 center) {
  using F = typename detail::Interpolated<widened<T>>::type;
  using Between = detail::Between<F>;
  for_each_run(piece, [&](const Run& run) KG_INLINE {
    const Between row(run.row, row_step, center, rows);
    const T* plane = x + static_cast<u64>(run.plane) * rows * columns;
    const T* upper = plane + static_cast<u64>(row.first) * columns;
    const T* lower = plane + static_cast<u64>(row.second) * columns;
    for (u32 j = 0; j < run.count; ++j) {
      const Between column(run.column + j, column_step, center, columns);
      const auto at = [&](const T* line) KG_INLINE {
        return column.mix(static_cast<F>(widen(line[column.first])),
                          static_cast<F>(widen(line[column.second])));
      };
      y[run.index + j] = convert<T>(row.mix(at(upper), at(lower)));
    }
  });
}

}  // namespace kg
