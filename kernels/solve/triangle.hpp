#pragma once
#include "device/dialect.hpp"

namespace kg::detail {

/// A lower triangular matrix of n rows.
struct Triangle {
  const f32* data;
  i64 row, column;
  bool has_unit_diagonal;
  u64 n;

  KG_DEVICE f32 at(u64 r, u64 c) const {
    return data[static_cast<i64>(r) * row + static_cast<i64>(c) * column];
  }
  KG_DEVICE f32 inverse(u64 r) const { return has_unit_diagonal ? 1.0f : 1.0f / at(r, r); }
};

}  // namespace kg::detail
