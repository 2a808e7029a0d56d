#pragma once
#include "engines/position.hpp"

namespace kg::detail {

/// Calls row(index, count, position) for each part of a row within the flat indices [first, last).
template <int N, class Row>
KG_DEVICE void for_each_row(const Strided<N>& layout, u64 first, u64 last, Row row) {
  if (first >= last) return;
  u32 coordinate[max_rank] = {};
  Position<N> at{};
  u32 rest = static_cast<u32>(first);
  for (u32 d = 0; d < layout.rank; ++d) {
    coordinate[d] = rest % layout.dim[d].extent;
    rest /= layout.dim[d].extent;
    for (int k = 0; k < N; ++k) at.offset[k] += coordinate[d] * layout.stride[k][d];
  }
  at.column = coordinate[0];
  while (true) {
    const u64 left = layout.dim[0].extent - at.column;
    const u64 count = left < last - first ? left : last - first;
    row(first, count, at);
    first += count;
    if (first == last) return;
    for (int k = 0; k < N; ++k) at.offset[k] -= at.column * layout.stride[k][0];
    at.column = 0;
    for (u32 d = 1; d < layout.rank; ++d) {
      for (int k = 0; k < N; ++k) at.offset[k] += layout.stride[k][d];
      if (++coordinate[d] < layout.dim[d].extent) break;
      for (int k = 0; k < N; ++k) at.offset[k] -= coordinate[d] * layout.stride[k][d];
      coordinate[d] = 0;
    }
  }
}

}  // namespace kg::detail
