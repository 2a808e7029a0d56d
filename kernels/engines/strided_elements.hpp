#pragma once
#include "engines/grid_stride.hpp"
#include "engines/position.hpp"

namespace kg {

/// Calls f(index, position) for this thread's share of a view's elements. A CPU thread computes its position
/// once per row.
template <int N, class F>
KG_DEVICE void for_each_element(const Strided<N>& layout, F f) {
  if constexpr (is_gpu) {
    for_each_index(layout.elements, [&](u64 i) KG_INLINE {
      const u32 index = static_cast<u32>(i);
      f(index, locate(layout, index));
    });
  } else {
    const u64 n = layout.elements, blocks = grid_size(), block = block_index();
    const u64 last = n * (block + 1) / blocks;
    for (u64 index = n * block / blocks; index < last;) {
      Position<N> at = locate(layout, static_cast<u32>(index));
      const u64 left = layout.dim[0].extent - at.column;
      const u64 end = index + (left < last - index ? left : last - index);
      for (; index < end; ++index, ++at.column) {
        f(static_cast<u32>(index), at);
        for (int k = 0; k < N; ++k) at.offset[k] += layout.stride[k][0];
      }
    }
  }
}

}  // namespace kg
