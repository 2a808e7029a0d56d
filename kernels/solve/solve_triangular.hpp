#pragma once
/// Systems of equations with a triangular matrix.
#include "engines/spans.hpp"
#include "plan/solve_triangular.hpp"
#if KG_GPU
#include "solve/strip_gpu.hpp"
#else
#include "solve/strip_cpu.hpp"
#endif

namespace kg {

/// The y of a y = b for each of `matrices` lower triangular matrices a of n rows, one after the other, with `columns` right-hand
/// sides each. Elements of a above the diagonal are not read, nor those on it if has_unit_diagonal. Strides are negative for
/// matrices that begin with their last element, as upper triangular ones. y may be b.
KG_DEVICE void solve_triangular(const f32* a, const f32* b, f32* y, u64 matrices, u64 n, u64 columns,
                                i64 a_row, i64 a_column, i64 b_row, u32 has_unit_diagonal) {
  const u64 strips = (columns + solve_strip - 1) / solve_strip;
  for_each_span(matrices * strips, 1, [&](u64 task, u64) KG_INLINE {
    const u64 matrix = task / strips, first = (task - matrix * strips) * solve_strip, left = columns - first;
    const u64 at = matrix * n * columns + first;
    detail::solve_strip_of({a + matrix * n * n, a_row, a_column, has_unit_diagonal != 0, n}, b + at, y + at,
                           b_row, static_cast<u32>(left < solve_strip ? left : solve_strip));
  });
}

}  // namespace kg
