#pragma once
/// Rows of a few elements, computed side by side: a lane of a vector has a row.
#include "device/kept_small.hpp"
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

template <u32 n, class Source, class T, class Body, class... Operand>
KG_DEVICE void map_fixed_rows(const Source& source, T* y, u64 rows, Body body, const Operand*... operands) {
  constexpr int lanes = vector_lanes<T>();
#pragma clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(1)
  for (u64 r = 0; r < rows; ++r) {
    FixedRow<n, Source> row(source.from(r * n));
    body(row, y + r * n, operands...);
  }
}

/// Each number of elements is a loop of its own: those that there are, 1 to 8 and 16, one after another; then 0.
constexpr u32 next_fixed(u32 n) { return n < 8 ? n + 1 : n < 16 ? 16 : 0; }
inline constexpr u32 longest_fixed = 16;

constexpr bool is_fixed(u64 n) { return n - 1 < 8 || n == longest_fixed; }

/// Rows of `length` elements, which is_fixed.
template <u32 n = 1, class Source, class T, class Body, class... Operand>
KG_DEVICE void map_rows_of(const Source& source, T* y, u64 rows, u64 length, Body body,
                           const Operand*... operands) {
  if (length == n)
    map_fixed_rows<n>(source, y, rows, body, operands...);
  else if constexpr (next_fixed(n) != 0)
    map_rows_of<next_fixed(n)>(source, y, rows, length, body, operands...);
}

/// The first `n` elements, widened, of an operand that all rows share.
template <class T>
struct WidenedOperand {
  widened<T> value[longest_fixed];

  KG_DEVICE WidenedOperand(const T* x, u64 n) {
    for (u64 i = 0; i < n; ++i) value[i] = widen(x[i]);
  }
};

/// Rows of what is computed in another type and kept small: widened, computed as those are and rounded, some at a time, in the
/// first cache.
template <class Source, class T, class Body, class... Widened>
KG_DEVICE void map_widened_rows(const Source& source, T* y, u64 rows, u64 n, Body body,
                                const Widened&... shared) {
  using V = widened<T>;
  constexpr u32 most = 1024;
  constexpr int lanes = vector_lanes<T>();
  alignas(64) V x[most], result[most];
  const u64 step = most / n;
  for (u64 r = 0; r < rows; r += step) {
    const u64 count = rows - r < step ? rows - r : step;
    const Source from = source.from(r * n);
    T* const to = y + r * n;
    for_each_lane<lanes>(0, count * n, [&](u64 i) KG_INLINE { x[i] = from.at(i); });
    if constexpr (Source::keeps)
      for_each_lane<lanes>(0, count * n, [&](u64 i) KG_INLINE { from.sum[i] = convert<T>(x[i]); });
    map_rows_of(RowOf<V>{x}, result, count, n, body, shared.value...);
    for_each_lane<lanes>(0, count * n, [&](u64 i) KG_INLINE { to[i] = convert<T>(result[i]); });
  }
}

/// False, and nothing done, where rows have another number of elements.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE bool map_rows_beside(const Source& source, T* y, u64 rows, u64 n, Body body,
                               const Operand*... operands) {
  if (!is_fixed(n)) return false;
  const Share part = share(rows);
  const Source from = source.from(part.first * n);
  T* const to = y + part.first * n;
  const u64 count = part.last - part.first;
  if constexpr (is_kept_small<T> && !same<T, widened<T>>)
    map_widened_rows(from, to, count, n, body, WidenedOperand<Operand>(operands, n)...);
  else
    map_rows_of(from, to, count, n, body, operands...);
  return true;
}

}  // namespace kg::detail
