#pragma once
/// Strided operands as candle describes them: `info` points to device memory that holds the dims, outermost
/// first, then the strides of each operand, in elements; null where all are contiguous.
#include "device/each.hpp"
#include "map.hpp"

namespace kg::candle {

/// Calls f(i, offsets) for this thread's part of the elements 0 … n - 1: where element i lies in each of N
/// operands.
template <int N, class Index, class F>
KG_DEVICE void for_each_offset(u64 n, u64 rank, const u64* info, F f) {
  for_each_index(n, [&](u64 i) KG_INLINE {
    i64 offset[N] = {};
    Index rest = static_cast<Index>(i);
    KG_NO_UNROLL for (u64 d = rank; d-- > 0;) {
      const Index extent = static_cast<Index>(info[d]), coordinate = rest % extent;
      rest /= extent;
      KG_UNROLL for (int k = 0; k < N; ++k) offset[k] +=
          static_cast<i64>(coordinate) * static_cast<i64>(info[(k + 1) * rank + d]);
    }
    f(i, offset);
  });
}

/// Divisions of 64 bits are long on a GPU: only for those who need them.
template <int N, class F>
KG_DEVICE void for_each_strided(u64 n, u64 rank, const u64* info, F f) {
  if (n >> 32 == 0)
    for_each_offset<N, u32>(n, rank, info, f);
  else
    for_each_offset<N, u64>(n, rank, info, f);
}

/// Whether the strides are those of contiguous elements; dims of one element have any.
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
