#pragma once
#include "engines/each.hpp"
#include "engines/position.hpp"

namespace kg {

/// Calls f(index, position) for this thread's part of the elements of a view. A CPU's thread finds its place
/// once a row.
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

/// The same in three steps: third(index, found, second(position, found)) of found = first(index, position).
/// A GPU's block takes one run of neighbours, of which its threads have several under way at each step; no element
/// depends on another.
template <int N, class First, class Second, class Third>
KG_DEVICE void for_each_element(const Strided<N>& layout, First first, Second second, Third third) {
  using Found = decltype(first(0u, Position<N>{}));
  using Value = decltype(second(Position<N>{}, Found{}));
  if constexpr (is_gpu) {
    constexpr u32 in_flight = 4;
    const u64 n = layout.elements;
    const u32 begin = static_cast<u32>(n * block_index() / grid_size());
    const u32 end = static_cast<u32>(n * (block_index() + 1) / grid_size());
    const u32 step = block_size();
    for (u32 base = begin + thread_index(); base < end; base += in_flight * step) {
      Position<N> at[in_flight];
      Found found[in_flight];
      Value value[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * step < end) {
        at[k] = locate(layout, base + k * step);
        found[k] = first(base + k * step, at[k]);
      }
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * step < end) value[k] =
          second(at[k], found[k]);
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * step < end)
          third(base + k * step, found[k], value[k]);
    }
  } else {
    for_each_element(layout, [&](u32 index, const Position<N>& at) KG_INLINE {
      const Found found = first(index, at);
      third(index, found, second(at, found));
    });
  }
}

}  // namespace kg
