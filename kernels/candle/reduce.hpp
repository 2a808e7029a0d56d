#pragma once
/// candle's row kernels: one block an output or a row, of any number of threads.
#include "candle/info.hpp"
#include "device/row.hpp"
#include "norm.hpp"
#include "softmax.hpp"

namespace kg::candle {

/// Where element i of the one operand lies.
template <class Index>
KG_DEVICE i64 offset_at(u64 i, u64 rank, const u64* info) {
  i64 offset = 0;
  Index rest = static_cast<Index>(i);
  KG_NO_UNROLL for (u64 d = rank; d-- > 0;) {
    const Index extent = static_cast<Index>(info[d]);
    offset += static_cast<i64>(rest % extent) * static_cast<i64>(info[rank + d]);
    rest /= extent;
  }
  return offset;
}

/// All threads that a block can be cut into evenly.
KG_DEVICE Group whole_block() {
  return Group(1024, thread_index() + thread_index_y() * block_size(), block_size() * block_size_y());
}

/// Output b is the reduction of the elements [b · each, (b + 1) · each) of a view whose reduced dims are last.
template <template <class> class Reduction, class T, class Out>
KG_DEVICE void fast_reduce(u64 n, u64 each, u64 rank, const u64* info, const T* x, Out* y) {
  using R = Reduction<T>;
  const Group group = whole_block();
  const bool contiguous = all_contiguous<1>(rank, info), small = n >> 32 == 0;
  const u64 outputs = each == 0 ? 0 : (n + each - 1) / each;
  for (u64 output = block_index(); output < outputs; output += grid_size()) {
    const u64 first = output * each, last = n - first < each ? n : first + each;
    typename R::State state = R::identity();
    if (group.index == 0) {
      // Eight elements make a partial result, so that long sums keep their digits.
      for (u64 base = first + group.rank; base < last; base += 8 * group.size) {
        typename R::State partial = R::identity();
        for (u64 i = base; i < last && i < base + 8 * group.size; i += group.size) {
          const i64 at = contiguous ? static_cast<i64>(i)
                         : small    ? offset_at<u32>(i, rank, info)
                                    : offset_at<u64>(i, rank, info);
          partial = R::combine(partial, R::of(x[at], static_cast<u32>(i - first)));
        }
        state = R::combine(state, partial);
      }
    }
    state = group_reduce(group, state, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
    if (group.index == 0 && group.rank == 0) y[output] = R::template finish<Out>(state, last - first);
  }
}

/// Calls body(row, y's row) for each of the `count` rows that this block has, all its threads on one.
template <class T, class Body, class... Operand>
KG_DEVICE void block_rows(const T* x, T* y, u32 count, u32 n, Body body, const Operand*... operands) {
  const Group group = whole_block();
  for (u32 k = 0; k < count; ++k) {
    const u64 start = (static_cast<u64>(block_index()) * count + k) * n;
    with_row(
        group, x + start, n, group.index == 0, [&](auto&& row) KG_INLINE { body(row, y + start); }, y + start,
        operands...);
  }
}

template <class T>
KG_DEVICE void softmax(const T* x, T* y, u32 n) {
  block_rows(x, y, block_size(), n, [](auto& row, T* target) KG_INLINE { softmax_row(row, target); });
}

template <class T>
KG_DEVICE void rms_norm(const T* x, T* y, const T* weight, u32 n, f32 eps) {
  block_rows(
      x, y, 1, n, [=](auto& row, T* target) KG_INLINE { rms_norm_row(row, target, weight, n, eps); }, weight);
}

template <class T>
KG_DEVICE void layer_norm(const T* x, T* y, const T* weight, const T* bias, u32 n, f32 eps) {
  block_rows(
      x, y, 1, n, [=](auto& row, T* target) KG_INLINE { layer_norm_row(row, target, weight, bias, n, eps); },
      weight, bias);
}

/// Rotates pairs of elements: pair i lies at place(i) and place(i) + apart, its angle at `angle(i)`.
template <class T, class Place, class Angle>
KG_DEVICE void rotate(const T* x, const T* cos, const T* sin, T* y, u64 pairs, u64 apart, Place place,
                      Angle angle) {
  for_each_index(pairs, [&](u64 i) KG_INLINE {
    const u64 first = place(i), second = first + apart, at = angle(i);
    const auto c = widen(cos[at]), s = widen(sin[at]), a = widen(x[first]), b = widen(x[second]);
    y[first] = convert<T>(a * c - b * s);
    y[second] = convert<T>(a * s + b * c);
  });
}

/// With a batch stride each batch has angles of its own: where those of pair i begin.
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
