#pragma once
/// Substitution row by row for a strip of right-hand sides, which are in the cache and adjacent.
#include "device/math.hpp"
#include "plan/solve_triangular.hpp"
#include "solve/triangle.hpp"

namespace kg::detail {

/// `columns`: those of the strip, constant for whole strips.
template <class Columns>
void substitute(const Triangle& a, const f32* b, f32* y, i64 row, Columns columns) {
  for (u64 r = 0; r < a.n; ++r) {
    f32 rest[solve_strip];
    for (u32 c = 0; c < columns; ++c) rest[c] = b[static_cast<i64>(r) * row + c];
    for (u64 t = 0; t < r; ++t) {
      const f32 factor = -a.at(r, t);
      const f32* const known = y + static_cast<i64>(t) * row;
      for (u32 c = 0; c < columns; ++c) rest[c] = fma(factor, known[c], rest[c]);
    }
    const f32 inverse = a.inverse(r);
    for (u32 c = 0; c < columns; ++c) y[static_cast<i64>(r) * row + c] = rest[c] * inverse;
  }
}

struct WholeStrip {
  constexpr operator u32() const { return solve_strip; }
};

inline void solve_strip_of(const Triangle& a, const f32* b, f32* y, i64 row, u32 columns) {
  if (columns == solve_strip)
    substitute(a, b, y, row, WholeStrip());
  else
    substitute(a, b, y, row, columns);
}

}  // namespace kg::detail
