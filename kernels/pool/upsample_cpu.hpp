#pragma once
/// Bilinear upsampling in f32 on CPUs. Input rows are interpolated between columns, several at a time if they are short,
/// so that vectors are full whatever the width; results are interpolated between those rows.
#include "engines/map_cpu.hpp"

namespace kg::detail {

typedef f32 UnalignedFloats __attribute__((ext_vector_type(vector_bytes / 4), aligned(4)));
typedef i32 UnalignedInts __attribute__((ext_vector_type(vector_bytes / 4), aligned(4)));

/// Lane l of the result is lane at[l] of x.
#if defined(__AVX512F__)
inline constexpr bool permutes = true;
KG_DEVICE UnalignedFloats permute(UnalignedFloats x, UnalignedInts at) {
  return __builtin_ia32_permvarsf512(x, at);
}
#elif defined(__AVX2__)
inline constexpr bool permutes = true;
KG_DEVICE UnalignedFloats permute(UnalignedFloats x, UnalignedInts at) {
  return __builtin_ia32_permvarsf256(x, at);
}
#else
inline constexpr bool permutes = false;
KG_DEVICE UnalignedFloats permute(UnalignedFloats x, UnalignedInts) { return x; }
#endif

/// Input rows interpolated at up to cpu_patch_columns columns of the result.
template <class T>
struct MixedRows {
  static constexpr u32 lanes = vector_bytes / sizeof(f32);
  /// Elements of the rows that are held, and of the input that they are computed from; both for at least two rows.
  static constexpr u32 most = 2 * cpu_patch_columns, most_widened = 4 * most;
  /// Input columns per result column from which most elements would be widened in vain, or copied for no permutation.
  static constexpr f64 largest_step = same<T, f32> ? 1.0 : 3.0;

  const T* const x;
  const u32 columns;     ///< of the input
  const u64 input_rows;  ///< of all planes
  u32 width = 0, at_once = 0;
  u32 left = 0, span = 0;  ///< columns of the input that are read
  bool is_near = false;    ///< whether the lanes of a vector read elements of one vector
  u64 begin = 0;           ///< the first row that is held
  u32 held = 0;
  /// Offset in `widened` of the first element; the second is next to it, unless its weight is 0.
  i32 first[most + lanes];
  f32 first_weight[most + lanes], second_weight[most + lanes];
  f32 widened[most_widened + lanes + 1];
  f32 mixed[most + lanes] = {};  ///< vectors may extend past the last row

  KG_DEVICE MixedRows(const T* x, u32 columns, u64 input_rows)
      : x(x), columns(columns), input_rows(input_rows) {}

  /// `most_at_once` limits the rows that are computed together.
  KG_DEVICE void set_columns(u32 column, u32 count, f64 step, f64 center, u32 most_at_once) {
    width = count;
    for (u32 j = 0; j < width; ++j) {
      const Between<f32> at(column + j, step, center, columns);
      first[j] = static_cast<i32>(at.first);
      first_weight[j] = at.first_weight;
      second_weight[j] = at.second_weight;
    }
    left = static_cast<u32>(first[0]);
    span = Between<f32>(column + width - 1, step, center, columns).second - left + 1;
    for (u32 j = 0; j < width; ++j) first[j] -= static_cast<i32>(left);
    at_once = most / width < most_widened / span ? most / width : most_widened / span;
    if (at_once > most_at_once) at_once = most_at_once;
    const u32 n = at_once * width;
    for (u32 j = width; j < n; ++j) {
      first[j] = first[j - width] + static_cast<i32>(span);
      first_weight[j] = first_weight[j - width];
      second_weight[j] = second_weight[j - width];
    }
    for (u32 j = n; j < n + lanes; ++j) {
      first[j] = first[n - 1];
      first_weight[j] = second_weight[j] = 0;
    }
    is_near = permutes;
    for (u32 j = 0; j < n; j += lanes) is_near &= first[j + lanes - 1] - first[j] < static_cast<i32>(lanes);
    held = 0;
  }

  /// Holds the row and, if there is one, the next. Rows are requested in order.
  KG_DEVICE void hold(u64 row) {
    const u32 kept = held > 0 && row == begin + held - 1 ? 1 : 0;
    if (kept) __builtin_memcpy(mixed, mixed + (held - 1) * width, width * sizeof(f32));
    const u64 rest = input_rows - row;
    begin = row;
    held = rest < at_once ? static_cast<u32>(rest) : at_once;
    compute(row + kept, held - kept, mixed + kept * width);
  }

  KG_DEVICE const f32* operator[](u64 row) const { return mixed + static_cast<u32>(row - begin) * width; }

  KG_DEVICE void compute(u64 row, u32 count, f32* to) {
    constexpr int lanes = MixedRows::lanes;
    const bool is_whole = span == columns;
    const u32 lines = is_whole ? 1 : count, length = is_whole ? count * span : span;
    for (u32 k = 0; k < lines; ++k) {
      const T* const from = x + (row + k) * columns + left;
      f32* const copy = widened + k * span;
      KG_VECTORIZE for (u32 j = 0; j < length; ++j) copy[j] = widen(from[j]);
    }
    const u32 n = count * width;
    if (!is_near) {
      KG_VECTORIZE for (u32 j = 0; j < n; ++j) to[j] =
          mix(first_weight[j], second_weight[j], widened[first[j]], widened[first[j] + 1]);
      return;
    }
    for (u32 j = 0; j < n; j += lanes) {
      const f32* const from = widened + first[j];
      const UnalignedInts at = *reinterpret_cast<const UnalignedInts*>(first + j) - first[j];
      const UnalignedFloats a = permute(*reinterpret_cast<const UnalignedFloats*>(from), at),
                            b = permute(*reinterpret_cast<const UnalignedFloats*>(from + 1), at),
                            weight = *reinterpret_cast<const UnalignedFloats*>(first_weight + j),
                            second = *reinterpret_cast<const UnalignedFloats*>(second_weight + j);
      *reinterpret_cast<UnalignedFloats*>(to + j) =
          second == 0 ? a : __builtin_elementwise_fma(second, b, weight * a);
    }
  }
};

/// Rows of the result that are adjacent in memory, collected so that they are rounded and stored together.
template <class T>
struct ResultRows {
  static constexpr u32 most = 2 * cpu_patch_columns, long_row = 48;
  static constexpr int lanes = vector_bytes / sizeof(f32);

  T* const y;
  const SpanStores& stores;
  u32 begin = 0, count = 0;
  f32 value[most + lanes];

  KG_DEVICE ResultRows(T* y, const SpanStores& stores) : y(y), stores(stores) {}

  /// Interpolates a row between a and b, which may be read up to a whole vector.
  KG_DEVICE void add(u32 index, u32 width, f32 first_weight, f32 second_weight, const f32* a, const f32* b) {
    constexpr int lanes = ResultRows::lanes;
    if (width >= long_row && !stores.streamed) {
      T* const row = y + index;
      for_each_lane<lanes>(0, width, [=](u64 j) KG_INLINE {
        row[j] = convert<T>(mix(first_weight, second_weight, a[j], b[j]));
      });
      return;
    }
    if (index != begin + count || count + width > most) {
      store();
      begin = index;
    }
    f32* const to = value + count;
    count += width;
    if (second_weight == 0) {
      __builtin_memcpy(to, a, width * sizeof(f32));
      return;
    }
    const UnalignedFloats first = first_weight, second = second_weight;
    for (u32 j = 0; j < width; j += lanes)
      *reinterpret_cast<UnalignedFloats*>(to + j) =
          __builtin_elementwise_fma(second, *reinterpret_cast<const UnalignedFloats*>(b + j),
                                    first * *reinterpret_cast<const UnalignedFloats*>(a + j));
  }

  KG_DEVICE void store() {
    if constexpr (same<T, f32>) {
      store_span(value, y + begin, count, stores);
    } else {
      T rounded[most];
      KG_VECTORIZE for (u32 j = 0; j < count; ++j) rounded[j] = convert<T>(value[j]);
      store_span(rounded, y + begin, count, stores);
    }
    count = 0;
  }
};

template <class T>
KG_DEVICE void upsample_bilinear2d_rows(const T* x, T* y, const ImagePatches& patches, u32 rows, u32 columns,
                                        f64 row_step, f64 column_step, f64 center) {
  const ImagePiece& piece = patches.piece;
  const SpanStores stores(static_cast<u64>(piece.elements) * sizeof(T));
  const u64 planes = piece.elements / piece.columns.extent / piece.rows.extent;
  MixedRows<T> mixed(x, columns, planes * rows);
  ResultRows<T> result(y, stores);
  // Positions of rows. Planes of up to that many rows have the same.
  constexpr u32 table = 64;
  u32 first[table], second[table], tabled = 0, tabled_row = 0, column = piece.columns.extent;
  f32 first_weight[table], second_weight[table];
  for_each_patch<cpu_patch_columns>(patches, [&](const Patch& patch) KG_INLINE {
    if (column != patch.column)
      mixed.set_columns(patch.column, patch.width, column_step, center, row_step > 1 ? 2 : mixed.most);
    column = patch.column;
    const u64 plane = static_cast<u64>(patch.plane) * rows;
    for (u32 r = 0; r < patch.height; r += table) {
      const u32 row = patch.row + r, count = patch.height - r < table ? patch.height - r : table;
      for (u32 k = row == tabled_row ? tabled : 0; k < count; ++k) {
        const Between<f32> at(row + k, row_step, center, rows);
        first[k] = at.first;
        second[k] = at.second;
        first_weight[k] = at.first_weight;
        second_weight[k] = at.second_weight;
      }
      tabled = row == tabled_row && tabled > count ? tabled : count;
      tabled_row = row;
      for (u32 k = 0; k < count; ++k) {
        const u64 upper = plane + first[k], lower = plane + second[k];
        if (upper < mixed.begin || lower >= mixed.begin + mixed.held) mixed.hold(upper);
        result.add(patch.index + (r + k) * piece.columns.extent, patch.width, first_weight[k],
                   second_weight[k], mixed[upper], mixed[lower]);
      }
    }
  });
  result.store();
}

}  // namespace kg::detail

namespace kg {

template <class T>
KG_DEVICE void upsample_bilinear2d(const T* x, T* y, const ImagePatches& patches, u32 rows, u32 columns,
                                   f64 row_step, f64 column_step, f64 center) {
  if constexpr (same<widened<T>, f32>) {
    if (column_step <= detail::MixedRows<T>::largest_step)
      return detail::upsample_bilinear2d_rows(x, y, patches, rows, columns, row_step, column_step, center);
  }
  detail::upsample_bilinear2d<cpu_patch_columns>(x, y, patches, rows, columns, row_step, column_step, center);
}

}  // namespace kg
