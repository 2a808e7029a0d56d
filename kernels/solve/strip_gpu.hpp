#pragma once
/// Blocked substitution for a strip of right-hand sides, one column in each lane of 32: panels of 16 rows, from which all threads
/// of the block subtract what is known; then 32 of them solve the triangle on the diagonal in registers.
#include "device/math.hpp"
#include "plan/solve_triangular.hpp"
#include "solve/triangle.hpp"

namespace kg::detail {

struct SolvePanel {
  static constexpr u32 rows = 16, terms = 64;
  /// Rows of the matrix that are apart in threads of one wave of 64 have different banks.
  static constexpr u32 line = terms + 4;
  static constexpr u32 groups = block_threads / solve_strip, rows_each = rows / groups;
  static constexpr u32 loads_each = rows * terms / block_threads;

  /// Rows of the matrix, for some of its columns.
  alignas(16) f32 factors[rows * line];
  f32 rest[rows * solve_strip];  ///< the right-hand sides less what is known
  f32 inverses[rows];
};

/// Four factors of a row.
struct SolveFactors {
  f32 value[4];

  KG_DEVICE SolveFactors() {}
  KG_DEVICE SolveFactors(const SolvePanel& panel, u32 r, u32 t) {
    const Quad quad = *reinterpret_cast<const Quad*>(&panel.factors[r * SolvePanel::line + t]);
    value[0] = bit_cast<f32>(quad.x);
    value[1] = bit_cast<f32>(quad.y);
    value[2] = bit_cast<f32>(quad.z);
    value[3] = bit_cast<f32>(quad.w);
  }
};

/// What a thread loads ahead: its part of a panel's factors from column `term` on, and with the first of them its right-hand sides.
struct SolveAhead {
  f32 factor[SolvePanel::loads_each];
  f32 right[SolvePanel::rows_each];

  KG_DEVICE void load(const Triangle& a, const f32* b, i64 b_row, u64 first_row, u64 term) {
    const u32 thread = thread_index();
    KG_UNROLL for (u32 i = 0; i < SolvePanel::loads_each; ++i) {
      const u32 element = thread + i * block_threads;
      const u64 r = first_row + element / SolvePanel::terms, t = term + element % SolvePanel::terms;
      factor[i] = r < a.n && t <= r ? a.at(r, t) : 0;
    }
    if (term > 0) return;
    KG_UNROLL for (u32 i = 0; i < SolvePanel::rows_each; ++i) {
      const u64 r = first_row + thread / solve_strip * SolvePanel::rows_each + i;
      right[i] = r < a.n ? b[static_cast<i64>(r) * b_row] : 0;
    }
  }
  KG_DEVICE void store(SolvePanel& panel) const {
    KG_UNROLL for (u32 i = 0; i < SolvePanel::loads_each; ++i) {
      const u32 element = thread_index() + i * block_threads;
      panel.factors[element / SolvePanel::terms * SolvePanel::line + element % SolvePanel::terms] = factor[i];
    }
  }
};

/// Solves the triangle from column `first` of the panel's factors on, for the thread's column of `rest`.
KG_DEVICE void solve_diagonal(const SolvePanel& panel, u32 first, f32 (&x)[SolvePanel::rows]) {
  constexpr u32 rows = SolvePanel::rows;
  KG_UNROLL for (u32 r = 0; r < rows; ++r) x[r] = panel.rest[r * solve_strip + thread_index()];
  KG_UNROLL for (u32 t = 0; t < rows; t += 4) {
    SolveFactors factors[rows];
    KG_UNROLL for (u32 r = t + 1; r < rows; ++r) factors[r] = SolveFactors(panel, r, first + t);
    KG_UNROLL for (u32 i = 0; i < 4; ++i) {
      x[t + i] *= panel.inverses[t + i];
      KG_UNROLL for (u32 r = t + i + 1; r < rows; ++r) x[r] = fma(-factors[r].value[i], x[t + i], x[r]);
    }
  }
}

/// x in vector registers, as are its multiples: all of them do not fit an AMD GPU's scalar registers.
KG_DEVICE i64 per_thread(i64 x) {
  const u64 bits = static_cast<u64>(x), high = keep_in_vector_register(static_cast<u32>(bits >> 32));
  return static_cast<i64>(high << 32 | keep_in_vector_register(static_cast<u32>(bits)));
}

/// All threads of a block must call this with the same arguments. `columns`: those of the strip.
KG_DEVICE void solve_strip_of(const Triangle& a, const f32* b, f32* y, i64 uniform_row, u32 columns) {
  KG_SHARED SolvePanel panel;
  constexpr u32 rows = SolvePanel::rows, terms = SolvePanel::terms, each = SolvePanel::rows_each;
  const u32 thread = thread_index(), lane = thread % solve_strip, own = thread / solve_strip * each;
  const u32 column = lane < columns ? lane : columns - 1;  // idle lanes repeat the last
  const i64 row = per_thread(uniform_row);
  b += column;
  y += column;
  SolveAhead ahead;
  ahead.load(a, b, row, 0, 0);
  f32 rest[each];
  for (u64 first = 0; first < a.n; first += rows) {
    KG_UNROLL for (u32 i = 0; i < each; ++i) rest[i] = ahead.right[i];
    const u64 last = first / terms * terms;  // the first of the terms that the diagonal is among
    for (u64 term = 0; term <= last; term += terms) {
      sync();
      ahead.store(panel);
      sync();
      if (term < last)
        ahead.load(a, b, row, first, term + terms);
      else if (first + rows < a.n)
        ahead.load(a, b, row, first + rows, 0);
      const u32 known = static_cast<u32>(first - term < terms ? first - term : terms);
      const f32* const from = y + static_cast<i64>(term) * row;
      for (u32 t = 0; t < known; t += rows) {
        f32 x[rows];
        KG_UNROLL for (u32 j = 0; j < rows; ++j) x[j] = from[static_cast<i64>(t + j) * row];
        KG_UNROLL for (u32 j = 0; j < rows; j += 4) KG_UNROLL for (u32 i = 0; i < each; ++i) {
          const SolveFactors factor(panel, own + i, t + j);
          KG_UNROLL for (u32 k = 0; k < 4; ++k) rest[i] = fma(-factor.value[k], x[j + k], rest[i]);
        }
      }
    }
    KG_UNROLL for (u32 i = 0; i < each; ++i) panel.rest[(own + i) * solve_strip + lane] = rest[i];
    const u32 diagonal = static_cast<u32>(first - last);
    if (thread < rows)
      panel.inverses[thread] =
          a.has_unit_diagonal ? 1.0f : 1.0f / panel.factors[thread * (SolvePanel::line + 1) + diagonal];
    sync();
    if (thread < solve_strip) {
      f32 x[rows];
      solve_diagonal(panel, diagonal, x);
      const u32 left = lane < columns ? static_cast<u32>(a.n - first < rows ? a.n - first : rows) : 0;
      f32* to = y + static_cast<i64>(first) * row;
      KG_UNROLL for (u32 r = 0; r < rows; ++r, to += row) {
        if (r < left) *to = x[r];
        sched_barrier_every_4(static_cast<int>(r));
      }
    }
    sync();  // what is known is in memory
  }
}

}  // namespace kg::detail
