#pragma once
/// Adjacent output elements of one row, as the CPU engines process them.
#include "conv/sum.hpp"
#include "engines/image.hpp"
#include "engines/panel_cpu.hpp"

namespace kg::detail {

/// The pixels [first, last) of a row whose input element is inside the image.
struct Span {
  u32 first, last;
};

/// `column` is the input column of the first of `count` pixels, which are `stride` apart.
KG_DEVICE Span span_inside(i32 column, i32 stride, u32 count, i32 columns) {
  i32 before = column < 0 ? -column : 0, within = column < columns ? columns - column : 0;
  if (stride != 1) {
    // Usually all pixels are inside; that case avoids the divisions.
    if (column >= 0 && column + static_cast<i64>(count - 1) * stride < columns) return {0, count};
    before = (before + stride - 1) / stride;
    within = (within + stride - 1) / stride;
  }
  const u32 first = static_cast<u32>(before) < count ? before : count;
  const u32 last = static_cast<u32>(within) < count ? within : count;
  return {first < last ? first : last, last};
}

/// Adjacent pixels of one output row, or of rows that are contiguous in memory.
struct ConvSegment {
  ConvPixel pixel;
  u32 index;         ///< the pixel's index in the batch
  u32 first, count;  ///< in the block

  ConvSegment() = default;
  KG_DEVICE ConvSegment(const ConvShape& shape, u32 index, u32 first, u32 count)
      : pixel(conv_pixel(shape, index)), index(index), first(first), count(count) {}
};

/// Calls f(j) for `first` ≤ j < `last`. Uses masked vectors if the target has them, because the loops are too
/// short for a scalar remainder.
template <u32 Lanes, class F>
KG_DEVICE void for_each_masked(u32 first, u32 last, F f) {
  const u64 end = last;
#if defined(__AVX512F__)
  constexpr int lanes = Lanes;
#pragma clang loop vectorize(assume_safety) vectorize_width(lanes) vectorize_predicate(enable)
#endif
  for (u64 j = first; j < end; ++j) f(j);
}

template <class Sum>
KG_DEVICE void clear_span(Sum* to, u32 first, u32 last) {
  for_each_masked<vector_bytes / sizeof(Sum)>(first, last, [=](u64 j) KG_INLINE { to[j] = 0; });
}

/// Gathers the input elements of one kernel element for adjacent pixels, usually `Width` of them; zeros
/// outside the image.
template <u32 Width, class Sum, class T>
KG_DEVICE void gather_segment(Sum* to, const T* element, i32 column, u32 count, const ConvShape& shape) {
  constexpr u32 lanes = vector_bytes / sizeof(Sum);
  if (shape.column_stride == 1 && column >= 0 && column + static_cast<i32>(count) <= shape.in_columns) {
    if (count == Width)
      for (u32 j = 0; j < Width; ++j) to[j] = widen(element[j]);
    else
      for_each_masked<lanes>(0, count, [=](u64 j) KG_INLINE { to[j] = widen(element[j]); });
    return;
  }
  const Span span = span_inside(column, shape.column_stride, count, shape.in_columns);
  if (span.first > 0) clear_span(to, 0, span.first);
  with_stride(shape.column_stride, [&](auto stride) KG_INLINE {
    for_each_masked<lanes>(span.first, span.last, [=](u64 j) KG_INLINE {
      to[j] = widen(element[static_cast<i64>(j) * static_cast<i64>(stride)]);
    });
  });
  if (span.last < count) clear_span(to, span.last, count);
}

/// Copies adjacent elements that end before `end`, and sets those outside `span` to zero. Writes whole vectors, and so up to
/// a vector past `count`.
template <class Sum, class T>
KG_DEVICE void copy_line(const T* from, const T* end, Span span, u32 count, Sum* to) {
  constexpr u32 lanes = vector_bytes / sizeof(Sum);
  typedef Sum Unaligned __attribute__((ext_vector_type(lanes), aligned(sizeof(Sum))));
  const auto clear = [=](u32 first, u32 last) KG_INLINE {
    for (u32 j = first; j < last; j += lanes) *reinterpret_cast<Unaligned*>(to + j) = Unaligned(Sum(0));
  };
  clear(0, span.first);
  u32 j = span.first;
  for (; j < span.last && end - from >= static_cast<i64>(j) + lanes; j += lanes)
    *reinterpret_cast<Unaligned*>(to + j) = load_vector(from + j);
  for (; j < span.last; ++j) to[j] = widen(from[j]);
  clear(span.last, count);
}

/// Writes the even elements and the odd ones to `count` adjacent elements each. Reads and writes whole vectors.
template <class Sum, int... K>
KG_DEVICE void split_pairs(Indices<K...>, const Sum* from, Sum* to, u32 count) {
  constexpr u32 lanes = vector_bytes / sizeof(Sum);
  typedef Sum Unaligned __attribute__((ext_vector_type(lanes), aligned(sizeof(Sum))));
  for (u32 p = 0; p < 2; ++p)
    for (u32 j = 0; j < count; j += lanes) {
      const Unaligned* const pairs = reinterpret_cast<const Unaligned*>(from + p + 2 * j);
      *reinterpret_cast<Unaligned*>(to + p * count + j) =
          __builtin_shufflevector(pairs[0], pairs[1], (2 * K)...);
    }
}

/// Stores one channel's sums. A NaN sum may come from an infinite weight times a padding zero: such elements
/// are recomputed. `image` is the group's, `kernel` the channel's.
template <class Sum, class T>
KG_DEVICE void store_channel(const ConvSegment* segments, u32 count, const Sum* sum, const T* image,
                             const T* kernel, T* y, u32 channel, const ConvShape& shape) {
  for (u32 s = 0; s < count; ++s) {
    const ConvSegment& segment = segments[s];
    T* to = y + output_offset(shape, segment.pixel, channel);
    const Sum* from = sum + segment.first;
    bool has_nan = false;
    const auto store = [&](u64 j, i64 stride) KG_INLINE {
      has_nan |= from[j] != from[j];
      to[static_cast<i64>(j) * stride] = convert<T>(from[j]);
    };
    if (shape.y_column == 1)
      for_each_masked<vector_bytes / sizeof(Sum)>(0, segment.count, [&](u64 j) KG_INLINE { store(j, 1); });
    else
      for (u32 j = 0; j < segment.count; ++j) store(j, shape.y_column);
    if (!has_nan) continue;
    for (u32 j = 0; j < segment.count; ++j) {
      if (from[j] == from[j]) continue;
      const ConvPixel pixel = conv_pixel(shape, segment.index + j);
      to[j * shape.y_column] =
          convert<T>(conv_sum(image + pixel.batch * x_batch(shape), kernel, shape, pixel.row, pixel.column));
    }
  }
}

}  // namespace kg::detail
