#pragma once
/// Matrix products on the CPU: packed panels that stay in the caches, and a tile of results that stays in
/// registers (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3),
/// 2008).
#include "device/convert.hpp"
#include "engines/each.hpp"
#include "engines/matrix_pair.hpp"

namespace kg::detail {

template <class F>
struct Blocking {
  typedef F Vector __attribute__((ext_vector_type(vector_bytes / sizeof(F))));
  static constexpr u32 lanes = vector_bytes / sizeof(F);
  /// Results in registers: `down` rows of two vectors, with the operands as many registers as there are.
  static constexpr u32 down = vector_bytes == 64 ? 14 : 6, across = 2 * lanes;
  /// Terms that are added up in registers before they join the total.
  static constexpr u32 terms = 1024 / sizeof(F);
  /// Of a block's tile: its panels fill a part of the second-level cache, and any thread's stack holds them.
  static constexpr u32 rows = vector_bytes == 64 ? 9 * down : 20 * down, columns = 128;

  struct Workspace {
    alignas(64) F left[rows * terms];
    alignas(64) F right[columns * terms];
    alignas(64) F sum[rows][columns];
  };
};

/// Rows first … first + count - 1 of x, terms term … term + terms - 1, as panels of `width` rows: a panel has
/// its rows' first terms side by side, then the second ones. Rows that are missing are zeros.
template <u32 width, class T, class F>
KG_DEVICE void pack_panels(const Matrix<T>& x, u64 first, u32 count, u64 term, u32 terms, F* to) {
  for (u32 r = 0; r < count; r += width, to += width * terms) {
    const T* from =
        x.data + static_cast<i64>(first + r) * x.row_stride + static_cast<i64>(term) * x.term_stride;
    const u32 here = count - r < width ? count - r : width;
    if (here == width && x.row_stride == 1) {
      for (u32 t = 0; t < terms; ++t) {
        const T* line = from + static_cast<i64>(t) * x.term_stride;
        KG_UNROLL for (u32 i = 0; i < width; ++i) to[t * width + i] = widen(line[i]);
      }
    } else if (here == width && x.term_stride == 1) {
      for (u32 t = 0; t < terms; ++t) {
        KG_UNROLL for (u32 i = 0; i < width; ++i) to[t * width + i] =
            widen(from[static_cast<i64>(i) * x.row_stride + t]);
      }
    } else {
      for (u32 t = 0; t < terms; ++t)
        for (u32 i = 0; i < width; ++i)
          to[t * width + i] =
              i < here ? widen(from[static_cast<i64>(i) * x.row_stride + static_cast<i64>(t) * x.term_stride])
                       : F(0);
    }
  }
}

/// Adds the product of two panels to a part of the sums. Left to itself, clang cuts vectors of 64 bytes in two.
template <class F>
__attribute__((noinline, min_vector_width(8 * vector_bytes))) void multiply_panels(const F* left,
                                                                                   const F* right, u32 terms,
                                                                                   F* sum, u32 pitch) {
  using B = Blocking<F>;
  using Vector = typename B::Vector;
  Vector part[B::down][2];
  KG_UNROLL for (u32 i = 0; i < B::down; ++i) part[i][0] = part[i][1] = Vector(F(0));
  for (u32 t = 0; t < terms; ++t, left += B::down, right += B::across) {
    const Vector b0 = *reinterpret_cast<const Vector*>(right);
    const Vector b1 = *reinterpret_cast<const Vector*>(right + B::lanes);
    KG_UNROLL for (u32 i = 0; i < B::down; ++i) {
      const Vector a = Vector(left[i]);
      part[i][0] = multiply_add(a, b0, part[i][0]);
      part[i][1] = multiply_add(a, b1, part[i][1]);
    }
  }
  KG_UNROLL for (u32 i = 0; i < B::down; ++i) {
    Vector* to = reinterpret_cast<Vector*>(sum + i * pitch);
    to[0] += part[i][0];
    to[1] += part[i][1];
  }
}

KG_DEVICE u32 round_up(u64 x, u32 unit) { return static_cast<u32>((x + unit - 1) / unit * unit); }

/// The side of tiles of at most `most` that cut `extent` into pieces of about the same size.
KG_DEVICE u32 even_tile(u64 extent, u32 most, u32 unit) {
  const u64 tiles = (extent + most - 1) / most;
  return tiles == 0 ? unit : round_up((extent + tiles - 1) / tiles, unit);
}

template <class T, class Y>
KG_DEVICE void multiply_tiles(const MatrixPair<T>& all, Y* y, const Strided<2>& batch) {
  using F = widened<T>;
  using B = Blocking<F>;
  typename B::Workspace work;
  const u64 rows = all.a.rows, columns = all.b.rows;
  const u32 tile_rows = even_tile(rows, B::rows, B::down),
            tile_columns = even_tile(columns, B::columns, B::across);
  const u64 across = (columns + tile_columns - 1) / tile_columns;
  const u64 slice_tiles = (rows + tile_rows - 1) / tile_rows * across;
  for (u64 index = block_index(); index < slice_tiles * batch.elements; index += grid_size()) {
    const u32 slice = static_cast<u32>(index / slice_tiles);
    const u64 in_slice = index - slice * slice_tiles;
    const u64 row = in_slice / across * tile_rows, column = in_slice % across * tile_columns;
    const u32 down = static_cast<u32>(rows - row < tile_rows ? rows - row : tile_rows);
    const u32 wide = static_cast<u32>(columns - column < tile_columns ? columns - column : tile_columns);
    const MatrixPair<T> x = all.slice(batch, slice);
    for (u32 i = 0; i < round_up(down, B::down); ++i)
      for (u32 j = 0; j < round_up(wide, B::across); ++j) work.sum[i][j] = 0;
    for (u64 term = 0; term < x.a.terms; term += B::terms) {
      const u32 terms = static_cast<u32>(x.a.terms - term < B::terms ? x.a.terms - term : B::terms);
      pack_panels<B::down>(x.a, row, down, term, terms, work.left);
      pack_panels<B::across>(x.b, column, wide, term, terms, work.right);
      for (u32 j = 0; j < wide; j += B::across)
        for (u32 i = 0; i < down; i += B::down)
          multiply_panels(work.left + i * terms, work.right + j * terms, terms, &work.sum[i][j], B::columns);
    }
    Y* to = y + slice * (rows * columns) + row * columns + column;
    for (u32 i = 0; i < down; ++i)
      for (u32 j = 0; j < wide; ++j) to[i * columns + j] = convert<Y>(work.sum[i][j]);
  }
}

/// A vector of neighbouring elements, widened by the vector unit's own conversions.
template <class T, class F = widened<T>>
KG_DEVICE typename Blocking<F>::Vector load_vector(const T* p) {
  using Vector = typename Blocking<F>::Vector;
  constexpr u32 lanes = Blocking<F>::lanes;
  if constexpr (same<T, f16>) {
    typedef _Float16 Halves __attribute__((ext_vector_type(lanes), aligned(2)));
    return __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Vector);
  } else if constexpr (same<T, bf16>) {
    typedef u16 Halves __attribute__((ext_vector_type(lanes), aligned(2)));
    typedef u32 Words __attribute__((ext_vector_type(lanes)));
    return __builtin_bit_cast(Vector, __builtin_convertvector(*reinterpret_cast<const Halves*>(p), Words)
                                          << 16u);
  } else if constexpr (same<T, F>) {
    typedef F Unaligned __attribute__((ext_vector_type(lanes), aligned(sizeof(F))));
    return *reinterpret_cast<const Unaligned*>(p);
  } else if constexpr (same<T, f8e4m3> && sizeof(F) == 4) {
    // By the number that the bits are where that is subnormal: as f32's, it would take the processor a hundred times as
    // long.
    typedef u8 Bytes __attribute__((ext_vector_type(lanes), aligned(1)));
    typedef u32 Words __attribute__((ext_vector_type(lanes)));
    const Words bits = __builtin_convertvector(*reinterpret_cast<const Bytes*>(p), Words);
    const Words magnitude = bits & 0x7fu, normal = (magnitude << 20u) + (120u << 23);
    const Words subnormal = __builtin_bit_cast(Words, __builtin_convertvector(magnitude, Vector) * 0x1p-9f);
    const Words is_small = __builtin_bit_cast(Words, magnitude < 8u);
    const Words is_nan = __builtin_bit_cast(Words, magnitude == 0x7fu);
    return __builtin_bit_cast(Vector, (is_small & subnormal) | (~is_small & normal) | (is_nan & 0x7fc00000u) |
                                          (bits & 0x80u) << 24u);
  } else {
    F line[lanes];
    for (u32 l = 0; l < lanes; ++l) line[l] = widen(p[l]);
    return __builtin_bit_cast(Vector, line);
  }
}

/// `count` products added up in several vectors side by side, then those in pairs.
template <class T, class F>
KG_DEVICE F dot(const T* a, const F* x, u32 count) {
  using Vector = typename Blocking<F>::Vector;
  constexpr u32 lanes = Blocking<F>::lanes, vectors = 8;
  Vector sum[vectors];
  KG_UNROLL for (u32 v = 0; v < vectors; ++v) sum[v] = Vector(F(0));
  u32 i = 0;
  for (; i + vectors * lanes <= count; i += vectors * lanes) {
    KG_UNROLL for (u32 v = 0; v < vectors; ++v) sum[v] =
        multiply_add(load_vector(a + i + v * lanes), load_vector(x + i + v * lanes), sum[v]);
  }
  for (; i + lanes <= count; i += lanes)
    sum[0] = multiply_add(load_vector(a + i), load_vector(x + i), sum[0]);
  KG_UNROLL for (u32 half = vectors / 2; half > 0; half /= 2) {
    KG_UNROLL for (u32 v = 0; v < half; ++v) sum[v] += sum[v + half];
  }
  F line[lanes];
  for (u32 l = 0; l < lanes; ++l) line[l] = sum[0][l];
  for (u32 l = 0; i < count; ++i, ++l) line[l] = multiply_add(widen(a[i]), x[i], line[l]);
  KG_UNROLL for (u32 half = lanes / 2; half > 0; half /= 2) {
    KG_UNROLL for (u32 l = 0; l < half; ++l) line[l] += line[l + half];
  }
  return line[0];
}

/// Results of a run of rows whose terms lie side by side, or anyhow.
template <class T>
KG_DEVICE void multiply_rows(const MatrixPair<T>& x, u64 first, u32 count, T* y) {
  using F = widened<T>;
  constexpr u32 chunk = 2048, most = 16;
  alignas(64) F vector[chunk], line[chunk];
  F total[most] = {};
  for (u64 term = 0; term < x.a.terms; term += chunk) {
    const u32 terms = static_cast<u32>(x.a.terms - term < chunk ? x.a.terms - term : chunk);
    for (u32 t = 0; t < terms; ++t) vector[t] = widen(x.b.data[static_cast<i64>(term + t) * x.b.term_stride]);
    for (u32 r = 0; r < count; ++r) {
      const T* a =
          x.a.data + static_cast<i64>(first + r) * x.a.row_stride + static_cast<i64>(term) * x.a.term_stride;
      if (x.a.term_stride == 1) {
        total[r] += dot(a, vector, terms);
      } else {
        for (u32 t = 0; t < terms; ++t) line[t] = widen(a[static_cast<i64>(t) * x.a.term_stride]);
        total[r] += dot(line, vector, terms);
      }
    }
  }
  for (u32 r = 0; r < count; ++r) y[r] = convert<T>(total[r]);
}

/// Results of a run of rows that lie side by side.
template <class T>
KG_DEVICE void multiply_columns(const MatrixPair<T>& x, u64 first, u32 count, T* y) {
  using F = widened<T>;
  constexpr u32 chunk = 256, most = 512, lanes = Blocking<F>::lanes;
  alignas(64) F part[most], total[most] = {};
  const T* from = x.a.data + static_cast<i64>(first);
  const auto factor = [&](u64 t) KG_INLINE { return widen(x.b.data[static_cast<i64>(t) * x.b.term_stride]); };
  const auto line = [&](u64 t) KG_INLINE { return from + static_cast<i64>(t) * x.a.term_stride; };
  for (u64 term = 0; term < x.a.terms; term += chunk) {
    const u64 end = x.a.terms - term < chunk ? x.a.terms : term + chunk;
    for (u32 r = 0; r < count; ++r) part[r] = 0;
    for (u64 t = term; t < end; t += 4) {
      const u32 lines = end - t < 4 ? static_cast<u32>(end - t) : 4;
      u32 r = 0;
      if (lines == 4) {
        const T *a0 = line(t), *a1 = line(t + 1), *a2 = line(t + 2), *a3 = line(t + 3);
        const F x0 = factor(t), x1 = factor(t + 1), x2 = factor(t + 2), x3 = factor(t + 3);
        for (; r + lanes <= count; r += lanes) {
          using Vector = typename Blocking<F>::Vector;
          Vector& sum = *reinterpret_cast<Vector*>(part + r);
          Vector next = multiply_add(load_vector(a0 + r), Vector(x0), sum);
          next = multiply_add(load_vector(a1 + r), Vector(x1), next);
          next = multiply_add(load_vector(a2 + r), Vector(x2), next);
          sum = multiply_add(load_vector(a3 + r), Vector(x3), next);
        }
      }
      for (; r < count; ++r)
        for (u32 l = 0; l < lines; ++l) part[r] = multiply_add(widen(line(t + l)[r]), factor(t + l), part[r]);
    }
    for (u32 r = 0; r < count; ++r) total[r] += part[r];
  }
  for (u32 r = 0; r < count; ++r) y[r] = convert<T>(total[r]);
}

template <class T>
KG_DEVICE void multiply_vector(const MatrixPair<T>& all, T* y, const Strided<2>& batch) {
  const bool by_columns = all.a.row_stride == 1 && all.a.term_stride != 1;
  const u32 strip = by_columns ? 512 : 16;
  const u64 rows = all.a.rows, strips = (rows + strip - 1) / strip;
  for_each_index(strips * batch.elements, [&](u64 index) KG_INLINE {
    const u32 slice = static_cast<u32>(index / strips);
    const u64 first = index % strips * strip;
    const u32 count = static_cast<u32>(rows - first < strip ? rows - first : strip);
    const MatrixPair<T> x = all.slice(batch, slice);
    T* to = y + slice * rows + first;
    if (by_columns)
      multiply_columns(x, first, count, to);
    else
      multiply_rows(x, first, count, to);
  });
}

}  // namespace kg::detail
