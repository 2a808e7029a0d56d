#pragma once
/// candle's row kernels: one block per output or row, for any number of threads.
#include "candle/block.hpp"
#include "candle/info.hpp"
#include "row/norm.hpp"
#include "row/row.hpp"
#include "row/softmax.hpp"

namespace kg::candle {

/// Reduces element(0) … element(count - 1); every thread of the group gets the State.
template <class R, class Element>
KG_DEVICE typename R::State reduce_in_group(const Group& group, u64 count, Element element) {
  typename R::State state = R::identity();
  // Eight elements form a partial result, so that long sums keep their accuracy.
  for (u64 base = group.rank; base < count; base += 8 * group.size) {
    typename R::State partial = R::identity();
    for (u64 k = base; k < count && k < base + 8 * group.size; k += group.size)
      partial = R::combine(partial, R::of(element(k), static_cast<u32>(k)));
    state = R::combine(state, partial);
  }
  return group_reduce(group, state, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
}

/// Output b is the reduction of the elements [b · each, (b + 1) · each) of a view whose reduced dims are
/// last.
template <template <class> class Reduction, class T, class Out>
KG_DEVICE void fast_reduce(u64 n, u64 each, u64 rank, const u64* info, const T* x, Out* y) {
  using R = Reduction<T>;
  const Group group = whole_block();
  const Operand operand(n, rank, info);
  const u64 outputs = each == 0 ? 0 : (n + each - 1) / each;
  for (u64 output = block_index(); output < outputs; output += grid_size()) {
    const u64 first = output * each, count = n - first < each ? n - first : each;
    const auto state = reduce_in_group<R>(group, group.index == 0 ? count : 0,
                                          [&](u64 k) KG_INLINE { return x[operand.offset(first + k)]; });
    if (group.index == 0 && group.rank == 0) y[output] = R::template finish<Out>(state, count);
  }
}

/// Indices of the least and the greatest element, by candle's names.
template <class T>
using argmin = reduction::min_with_index<T>;
template <class T>
using argmax = reduction::max_with_index<T>;

/// fast_reduce of sums with few elements: one thread per output.
template <class T>
KG_DEVICE void fast_sum_small(u64 outputs, u64 each, u64 rank, const u64* info, const T* x, T* y) {
  using R = Sum<T>;
  const Operand operand(outputs * each, rank, info);
  for_each_index(outputs, [&](u64 output) KG_INLINE {
    typename R::State sum = R::identity();
    for (u64 k = 0; k < each; ++k)
      sum = R::combine(sum, R::of(x[operand.offset(output * each + k)], static_cast<u32>(k)));
    y[output] = R::template finish<T>(sum, each);
  });
}

/// The index of element `k` of those summed to `output`, before the summed dims were removed. Each summed dim
/// is reinserted by its extent and pitch.
template <class Index>
KG_DEVICE u64 summed_element(u64 output, u64 k, u64 dims, const u64* extents, const u64* pitches) {
  Index element = static_cast<Index>(output), rest = static_cast<Index>(k);
  KG_NO_UNROLL for (u64 d = dims; d-- > 0;) {
    const Index pitch = static_cast<Index>(pitches[d]), coordinate = take_coordinate(rest, extents[d]);
    element = (element / pitch * static_cast<Index>(extents[d]) + coordinate) * pitch + element % pitch;
  }
  return element;
}

/// Adds to y the sums over some dims of a view; `info` has their extents and contiguous strides after those
/// of the view. One group of threads per output and no atomics, which would round every addition to T.
template <class T>
KG_DEVICE void add_sums(u64 n, u64 rank, u64 summed, const u64* info, const T* x, T* y) {
  using R = Sum<T>;
  const u64 *extents = info + 2 * rank, *pitches = extents + summed;
  u64 each = 1;
  for (u64 d = 0; d < summed; ++d) each *= extents[d];
  u32 wanted = 1;
  while (wanted < 1024 && 8 * wanted < each) wanted *= 2;
  const Group group = block_group(wanted);
  const Operand operand(n, rank, info);
  const u64 outputs = n == 0 ? 0 : n / each;
  for (u64 first = static_cast<u64>(block_index()) * group.count; first < outputs;
       first += static_cast<u64>(grid_size()) * group.count) {
    const u64 output = first + group.index;
    const bool takes_part = group.index < group.count && output < outputs;
    const auto sum = reduce_in_group<R>(group, takes_part ? each : 0, [&](u64 k) KG_INLINE {
      return x[operand.offset(operand.small ? summed_element<u32>(output, k, summed, extents, pitches)
                                            : summed_element<u64>(output, k, summed, extents, pitches))];
    });
    if (takes_part && group.rank == 0)
      y[output] = R::template finish<T>(R::combine(R::of(y[output], 0), sum), each);
  }
}

/// Calls body(row, y's row) for each of this block's `count` rows, with all of its threads.
template <class T, class Body>
KG_DEVICE void block_rows(const T* x, T* y, u32 count, u32 n, Body body) {
  const SpanStores stores(0);
  for (u32 k = 0; k < count; ++k) {
    const Group group = block_group(uniform_optimization_barrier(widest_block));
    const u64 start = (static_cast<u64>(block_index()) * count + k) * n;
    with_row(
        group, RowOf<T>{x + start}, n, group.index == 0, stores,
        [&](auto&& row) KG_INLINE { body(row, y + start); }, y + start);
  }
}

template <class T>
KG_DEVICE void softmax(const T* x, T* y, u32 n) {
  block_rows(x, y, block_size(), n, [](auto& row, T* target) KG_INLINE { softmax_row(row, target); });
}

template <class T>
KG_DEVICE void rms_norm(const T* x, T* y, const T* weight, u32 n, f32 eps) {
  using V = widened<T>;
  const RmsNorm<V> norm{static_cast<V>(n), static_cast<V>(eps)};
  block_rows(x, y, 1, n, [=](auto& row, T* target) KG_INLINE { norm(row, target, weight); });
}

template <class T>
KG_DEVICE void layer_norm(const T* x, T* y, const T* weight, const T* bias, u32 n, f32 eps) {
  using V = widened<T>;
  const LayerNorm<V> norm{static_cast<V>(n), static_cast<V>(eps)};
  block_rows(x, y, 1, n, [=](auto& row, T* target) KG_INLINE { norm(row, target, weight, bias); });
}

/// Rotates pairs of elements: pair i is at position(i) and position(i) + apart, with its angle at `angle(i)`.
template <class T, class Position, class Angle>
KG_DEVICE void rotate(const T* x, const T* cos, const T* sin, T* y, u64 pairs, u64 apart, Position position,
                      Angle angle) {
  for_each_index(pairs, [&](u64 i) KG_INLINE {
    const u64 first = position(i), second = first + apart, at = angle(i);
    const auto c = widen(cos[at]), s = widen(sin[at]), a = widen(x[first]), b = widen(x[second]);
    y[first] = convert<T>(a * c - b * s);
    y[second] = convert<T>(a * s + b * c);
  });
}

/// The offset of pair i's angles: with a batch stride, each batch has its own.
KG_DEVICE u64 batch_angles(u64 i, u32 batch_stride, u64 pairs_each) {
  return batch_stride == 0 ? 0 : 2 * i / batch_stride * pairs_each;
}

template <class T>
KG_DEVICE void rope_i(const T* x, const T* cos, const T* sin, T* y, u32 bh, u32 td, u32 batch_stride) {
  const u64 each = td / 2;
  rotate(
      x, cos, sin, y, bh * each, 1, [=](u64 i) KG_INLINE { return 2 * i; },
      [=](u64 i) KG_INLINE { return i % each + batch_angles(i, batch_stride, each); });
}

template <class T>
KG_DEVICE void rope(const T* x, const T* cos, const T* sin, T* y, u32 bh, u32 td, u32 d, u32 batch_stride) {
  const u64 each = td / 2, half = d / 2;
  rotate(
      x, cos, sin, y, bh * each, half,
      [=](u64 i) KG_INLINE { return i / each * td + i % each / half * d + i % each % half; },
      [=](u64 i) KG_INLINE { return i % each + batch_angles(i, batch_stride, each); });
}

template <class T>
KG_DEVICE void rope_thd(const T* x, const T* cos, const T* sin, T* y, u32 b, u32 t, u32 h, u32 d,
                        u32 batch_stride) {
  const u64 half = d / 2, each = static_cast<u64>(t) * half;
  rotate(
      x, cos, sin, y, static_cast<u64>(b) * t * h * half, half,
      [=](u64 i) KG_INLINE { return i / half * d + i % half; },
      [=](u64 i)
          KG_INLINE { return i / half / h % t * half + i % half + batch_angles(i, batch_stride, each); });
}

}  // namespace kg::candle
