#pragma once
/// Operations on rows whose steps a manifest writes as expressions.
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

/// As map_rows(), for bodies of single values, not of Simd, and operands that may differ from row to row.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE void map_expression_rows(const Source& source, T* y, u64 rows, u64 n, u32 group_size,
                                   const Body& body, const RowOperand<Operand>&... operands) {
  for_each_row(
      source, rows, n, group_size, SpanStores(source.lies_at(y) ? 0 : rows * n * sizeof(T)),
      [&](auto& row, u64 number, bool, T* target)
          KG_INLINE { body(row, target, (operands.x + number * operands.step)...); },
      y, operands.x...);
}

}  // namespace kg
