#pragma once
/// Operations on rows whose steps a manifest writes as expressions. A body has
///   operator()(row, y, operands…)       a row, its result and its operands
///   has_lanes                           whether it also takes a row of Simd values (engines/row_per_lane_cpu.hpp)
/// and, if rows can be split,
///   Long                                the reduction of a part (reduce/reduction.hpp)
///   finish(row, state, y, operands…)    a part of a row, from the State of the whole row
#include "device/quotient.hpp"
#include "elementwise/activation.hpp"
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

/// An operand of the last step: row r begins at x + r · step, so that 0 is one row for all.
template <class T>
struct RowOperand {
  const T* x;
  u64 step;
};

/// A step's number or element: of the compute type V, or one for each lane.
template <class V, class Value>
KG_DEVICE auto row_value(Value value) {
  if constexpr (__is_class(Value))
    return value;
  else
    return convert<V>(value);
}

/// As map_rows(), for operands that may differ from row to row.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE void map_expression_rows(const Source& source, T* y, u64 rows, u64 n, u32 group_size,
                                   const Body& body, const RowOperand<Operand>&... operands) {
  const SpanStores stores(source.lies_at(y) ? 0 : rows * n * sizeof(T));
  if constexpr (Body::has_lanes)
    if (((operands.step == 0) && ...) &&
        detail::map_row_per_lane(source, y, rows, n, stores, body, operands.x...))
      return;
  for_each_row(
      source, rows, n, group_size, stores,
      [&](auto& row, u64 number, bool, T* target)
          KG_INLINE { body(row, target, (operands.x + number * operands.step)...); },
      y, operands.x...);
}

/// As map_partial_rows(), for operands that may differ from row to row.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE void combine_expression_rows(const Source& source, T* y, const b64* states, u64 rows, u64 n,
                                       u64 part, const Body& body, const RowOperand<Operand>&... operands) {
  const u64 parts = (n + part - 1) / part;
  detail::for_each_row_part(
      source, rows, n, part, SpanStores(source.lies_at(y) ? 0 : rows * n * sizeof(T)),
      [&](auto& row, u64, u64 number, u64 first, const Group& group) KG_INLINE {
        body.finish(row, combine_partials<typename Body::Long>(group, states, number, parts),
                    y + number * n + first, (operands.x + number * operands.step + first)...);
      },
      y, operands.x...);
}

}  // namespace kg
