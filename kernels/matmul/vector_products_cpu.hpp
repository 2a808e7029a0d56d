#pragma once
#include "matmul/matmul_cpu.hpp"

namespace kg::detail {

/// Rows that are multiplied at a time.
inline constexpr u32 rows_of_strip = 16;

template <class T>
KG_DEVICE void multiply_strip(const VectorProduct<T>& product, const f32* x, u64 terms, u64 first, u32 count,
                              f32* y) {
  const MatrixVector<T, f32> all{{product.w, product.rows, terms, product.step, 1}, {x, 1}};
  multiply_rows(all, first, count, y);
}

/// Calls f(first, count) for this thread's share of the strips of `rows` rows.
template <class F>
KG_DEVICE void for_each_strip(u64 rows, const F& f) {
  for_each_index((rows + rows_of_strip - 1) / rows_of_strip, [&](u64 strip) KG_INLINE {
    const u64 first = strip * rows_of_strip;
    f(first, static_cast<u32>(rows - first < rows_of_strip ? rows - first : rows_of_strip));
  });
}

template <class T>
KG_DEVICE void multiply_each(const VectorProduct<T>& first, const VectorProduct<T>& second,
                             const VectorProduct<T>& third, const f32* x, u64 terms) {
  const VectorProduct<T> all[] = {first, second, third};
  for (const VectorProduct<T>& product : all)
    for_each_strip(product.rows, [&](u64 at, u32 count) KG_INLINE {
      multiply_strip(product, x, terms, at, count, product.y + at);
    });
}

template <class T>
KG_DEVICE void multiply_gated(const VectorProduct<T>& gates, const VectorProduct<T>& others, const f32* x,
                              u64 terms, GateType gate) {
  for_each_strip(gates.rows, [&](u64 at, u32 count) KG_INLINE {
    f32 a[rows_of_strip], b[rows_of_strip];
    multiply_strip(gates, x, terms, at, count, a);
    multiply_strip(others, x, terms, at, count, b);
    for (u32 r = 0; r < count; ++r) gates.y[at + r] = gated(gate, a[r], b[r]);
  });
}

}  // namespace kg::detail
