#pragma once
/// candle's indexing kernels, over [left, dim, right]. An index that is the largest value of its type reads
/// as 0 and writes nothing. So does an out-of-range index, because candle's signatures have no argument to
/// report it.
#include "candle/elementwise.hpp"

namespace kg::candle {

template <class I>
KG_DEVICE bool is_inside(I index, u64 extent) {
  return index != Limits<I>::highest && !(is_signed_integer<I> && index < I(0)) &&
         static_cast<u64>(index) < extent;
}

/// y[l, i, r] = x[l, ids[l, i, r], r].
template <class I, class T>
KG_DEVICE void gather(u64 n, const I* ids, const T* x, T* y, u64 extent, u64 count, u64 right) {
  for_each_index(n, [&](u64 i) KG_INLINE {
    const u64 left = i / (count * right);
    y[i] =
        is_inside(ids[i], extent) ? x[(left * extent + static_cast<u64>(ids[i])) * right + i % right] : T{};
  });
}

/// y[l, i, r] = x[l, ids[i], r]. `info` describes ids, as candle passes it; candle's own kernels apply it to
/// x instead.
template <class I, class T>
KG_DEVICE void index_select(u64 n, u64 rank, const u64* info, const I* ids, const T* x, T* y, u64 extent,
                            u64 count, u64 right) {
  const Operand layout(count, rank, info);
  for_each_index(n, [&](u64 i) KG_INLINE {
    const I index = ids[layout.offset(i / right % count)];
    y[i] = is_inside(index, extent)
               ? x[(i / (count * right) * extent + static_cast<u64>(index)) * right + i % right]
               : T{};
  });
}

/// Calls f(source, target) with the offsets of each line [l, :, r] in a source of `count` elements per line
/// and in a destination of `extent`. One thread processes a line, so its elements have an order.
template <class F>
KG_DEVICE void for_each_line(u64 left, u64 right, u64 count, u64 extent, F f) {
  for_each_index(left * right, [&](u64 line) KG_INLINE {
    f(line / right * count * right + line % right, line / right * extent * right + line % right);
  });
}

/// y[l, ids[l, i, r], r] = x[l, i, r]; the last of several equal indices wins.
template <class I, class T>
KG_DEVICE void scatter_set(const I* ids, const T* x, T* y, u64 left, u64 count, u64 extent, u64 right) {
  for_each_line(left, right, count, extent, [&](u64 source, u64 target) KG_INLINE {
    for (u64 i = 0; i < count; ++i) {
      const I index = ids[source + i * right];
      if (is_inside(index, extent)) y[target + static_cast<u64>(index) * right] = x[source + i * right];
    }
  });
}

/// Adds x's line to y's; id(i) is the index of element i. Narrow floats are accumulated in f32 and rounded
/// once: all elements with the same index are added at its first occurrence.
template <class T, class Id>
KG_DEVICE void add_line(const T* x, T* y, u64 count, u64 extent, u64 right, Id id) {
  for (u64 i = 0; i < count; ++i) {
    const auto index = id(i);
    if (!is_inside(index, extent)) continue;
    T& target = y[static_cast<u64>(index) * right];
    if constexpr (is_narrow_float<T>) {
      bool first = true;
      for (u64 k = 0; k < i && first; ++k) first = id(k) != index;
      if (!first) continue;
      f32 sum = widen(target);
      for (u64 k = i; k < count; ++k)
        if (id(k) == index) sum += widen(x[k * right]);
      target = convert<T>(sum);
    } else {
      target = add(target, x[i * right]);
    }
  }
}

/// y[l, ids[l, i, r], r] += x[l, i, r].
template <class I, class T>
KG_DEVICE void scatter_add(const I* ids, const T* x, T* y, u64 left, u64 count, u64 extent, u64 right) {
  for_each_line(left, right, count, extent, [&](u64 source, u64 target) KG_INLINE {
    add_line(x + source, y + target, count, extent, right,
             [&](u64 i) KG_INLINE { return ids[source + i * right]; });
  });
}

/// y[l, ids[i], r] += x[l, i, r].
template <class I, class T>
KG_DEVICE void index_add(const I* ids, u64 count, const T* x, T* y, u64 left, u64 extent, u64 right) {
  for_each_line(left, right, count, extent, [&](u64 source, u64 target) KG_INLINE {
    add_line(x + source, y + target, count, extent, right, [&](u64 i) KG_INLINE { return ids[i]; });
  });
}

}  // namespace kg::candle
