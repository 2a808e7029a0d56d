#pragma once
/// Rows of a few elements, computed side by side: a lane of a vector has a row.
#include "engines/map_cpu.hpp"
#include "engines/row_source.hpp"

namespace kg::detail {

/// Of a number of elements that is known: its steps have no loops, so that one over rows vectorises.
template <u32 n, class Source>
struct FixedRow {
  static constexpr bool is_read_again = false;
  using Value = typename Source::Value;
  using T = typename Source::Element;

  Value value[n];

  KG_DEVICE explicit FixedRow(const Source& source) {
    KG_UNROLL for (u32 i = 0; i < n; ++i) value[i] = source.at(i);
    if constexpr (Source::keeps) {
      KG_UNROLL for (u32 i = 0; i < n; ++i) source.sum[i] = convert<T>(value[i]);
    }
  }

  template <class R>
  KG_DEVICE typename R::State reduce() const {
    typename R::State total = R::of(value[0], 0);
    KG_UNROLL for (u32 i = 1; i < n; ++i) total = R::combine(total, R::of(value[i], 0));
    return total;
  }

  template <class Op>
  KG_DEVICE FixedRow& map(Op op) {
    KG_UNROLL for (u32 i = 0; i < n; ++i) value[i] = op(value[i]);
    return *this;
  }

  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) const {
    KG_UNROLL for (u32 i = 0; i < n; ++i) y[i] = convert<T>(op(value[i], widen(operands[i])...));
  }
};

/// map_rows of so few elements each that rows are computed side by side.
template <u32 n, class Source, class T, class Body>
KG_DEVICE void map_fixed_rows(const Source& source, T* y, u64 rows, Body body) {
  constexpr int lanes = vector_lanes<T>();
  const Share part = share(rows);
#pragma clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(1)
  for (u64 r = part.first; r < part.last; ++r) {
    FixedRow<n, Source> row(source.from(r * n));
    body(row, y + r * n);
  }
}

/// Each number of elements is a loop of its own: those that there are, 1 to 8 and 16, one after another; then 0.
constexpr u32 next_fixed(u32 n) { return n < 8 ? n + 1 : n < 16 ? 16 : 0; }

/// False, and nothing done, where rows have another number.
template <u32 n = 1, class Source, class T, class Body>
KG_DEVICE bool map_rows_beside(const Source& source, T* y, u64 rows, u64 length, Body body) {
  if (length == n) {
    map_fixed_rows<n>(source, y, rows, body);
    return true;
  }
  if constexpr (next_fixed(n) != 0)
    return map_rows_beside<next_fixed(n)>(source, y, rows, length, body);
  else
    return false;
}

}  // namespace kg::detail
