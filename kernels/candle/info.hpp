#pragma once
/// Strided operands as candle describes them: `info` is a device pointer to the dims, outermost first, then
/// the strides of each operand, in elements. It is null if all operands are contiguous.
#include "elementwise/map.hpp"
#include "engines/grid_stride.hpp"

namespace kg::candle {

/// Returns the coordinate of element `rest` along the innermost dim and reduces `rest` to the index along the
/// others.
template <class Index>
KG_DEVICE Index take_coordinate(Index& rest, u64 extent) {
  const Index dim = static_cast<Index>(extent), coordinate = rest % dim;
  rest /= dim;
  return coordinate;
}

/// An element's offset in each of N operands.
template <int N>
struct Offsets {
  i64 at[N];
};

template <int N, class Index>
KG_DEVICE Offsets<N> offsets_of(u64 i, u64 rank, const u64* info) {
  Offsets<N> offsets{};
  Index rest = static_cast<Index>(i);
  KG_NO_UNROLL for (u64 d = rank; d-- > 0;) {
    const i64 coordinate = static_cast<i64>(take_coordinate(rest, info[d]));
    KG_UNROLL for (int k = 0; k < N; ++k) offsets.at[k] +=
        coordinate * static_cast<i64>(info[(k + 1) * rank + d]);
  }
  return offsets;
}

/// Whether `n` elements can be indexed by 32 bits: 64-bit divisions are slow on GPUs.
KG_DEVICE bool fits_u32(u64 n) { return n >> 32 == 0; }

/// Calls f(i, offsets) for this thread's share of the elements 0 … n - 1, with the offsets of element i in
/// each of N operands.
template <int N, class F>
KG_DEVICE void for_each_strided(u64 n, u64 rank, const u64* info, F f) {
  if (fits_u32(n))
    for_each_index(n, [&](u64 i) KG_INLINE { f(i, offsets_of<N, u32>(i, rank, info).at); });
  else
    for_each_index(n, [&](u64 i) KG_INLINE { f(i, offsets_of<N, u64>(i, rank, info).at); });
}

/// Whether an operand is contiguous. The strides of dims with one element are ignored.
KG_DEVICE bool is_contiguous(u64 rank, const u64* info, u64 operand) {
  u64 pitch = 1;
  for (u64 d = rank; d-- > 0;) {
    if (info[d] > 1 && info[(operand + 1) * rank + d] != pitch) return false;
    pitch *= info[d];
  }
  return true;
}

template <int N>
KG_DEVICE bool all_contiguous(u64 rank, const u64* info) {
  if (info == nullptr) return true;
  for (int k = 0; k < N; ++k)
    if (!is_contiguous(rank, info, k)) return false;
  return true;
}

/// The only operand of a kernel that selects elements by index.
struct Operand {
  u64 rank;
  const u64* info;
  bool contiguous, small;

  /// `n` is its number of elements.
  KG_DEVICE Operand(u64 n, u64 rank, const u64* info)
      : rank(rank), info(info), contiguous(all_contiguous<1>(rank, info)), small(fits_u32(n)) {}

  KG_DEVICE i64 offset(u64 i) const {
    return contiguous ? static_cast<i64>(i)
           : small    ? offsets_of<1, u32>(i, rank, info).at[0]
                      : offsets_of<1, u64>(i, rank, info).at[0];
  }
};

namespace detail {

template <int... K, class Op, class Out, class... In>
KG_DEVICE void map_info(Indices<K...>, Op op, Out* y, u64 n, u64 rank, const u64* info, const In*... x) {
  constexpr int inputs = sizeof...(In);
  if (all_contiguous<inputs>(rank, info))
    map(op, y, n, x...);
  else
    for_each_strided<inputs>(n, rank, info, [&](u64 i, const i64* offset) KG_INLINE {
      y[i] = convert<Out>(op(widen(x[offset[K]])...));
    });
}

}  // namespace detail

/// y[i] = op(x[i]…), y contiguous.
template <class Op, class Out, class... In>
KG_DEVICE void map_info(Op op, Out* y, u64 n, u64 rank, const u64* info, const In*... x) {
  detail::map_info(typename MakeIndices<sizeof...(In)>::type{}, op, y, n, rank, info, x...);
}

}  // namespace kg::candle
