#pragma once
/// Direct convolution: groups of threads compute an output element each. Its terms are divided among the group.
#include "conv/tap.hpp"
#include "device/group.hpp"
#include "plan/conv.hpp"

namespace kg {

namespace detail {

/// For each of `tasks`, as many threads as the grid has, up to conv_direct_group.
KG_DEVICE Group conv_group(u32 tasks) {
  u32 threads = 1;
  KG_NO_UNROLL while (threads < conv_direct_group &&
                      2ull * threads * tasks <= u64{grid_size()} * block_size()) threads *= 2;
  return Group(threads);
}

/// An element of the kernel: the offsets of its input plane and its weight, and its position from that of the kernel's first
/// element. Unlike in ConvTap, row and column are not part of the offset: in a spaced image, only some positions are elements.
/// Elements past the last input channel do not exist.
struct DirectTap {
  i64 plane;
  i32 row, column;
  u32 weight;

  DirectTap() = default;
  KG_DEVICE DirectTap(const ConvShape& shape, u32 index) {
    const ConvTerm term(shape, index);
    plane = term.channel * shape.x_channel;
    row = term.channel < shape.in_channels ? static_cast<i32>(term.row) * shape.row_dilation : no_row;
    column = static_cast<i32>(term.column) * shape.column_dilation;
    weight = static_cast<u32>(term.weight(shape));
  }
};

/// The sum of every `group.size`-th of `count` terms.
template <bool is_spaced, class T>
KG_DEVICE widened<T> direct_sum(const ConvOutput<T>& output, const ConvShape& shape, const DirectTap* taps,
                                u32 count, const Group& group) {
  constexpr u32 together = conv_direct_terms;
  widened<T> sum = 0;
  KG_NO_UNROLL for (u32 t = group.rank; t < count; t += together * group.size) {
    T element[together], factor[together];
    bool exists[together];
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      const DirectTap tap = taps[t + k * group.size];
      i32 row = static_cast<i32>(static_cast<u32>(output.row) + static_cast<u32>(tap.row));
      i32 column = output.column + tap.column;
      if constexpr (is_spaced)
        exists[k] = is_element(row, shape.row_spacing, shape.in_rows) &
                    is_element(column, shape.column_spacing, shape.in_columns);
      else
        exists[k] = inside(row, shape.in_rows) & inside(column, shape.in_columns);
      // The first element and weight always exist: conditional loads would wait for each other.
      element[k] = output.image[exists[k] ? tap.plane + line_offset(shape, row) + column : 0];
      factor[k] = output.kernel[exists[k] ? tap.weight : 0];
    }
    widened<T> part = 0;
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      const auto value = static_cast<widened<T>>(widen(element[k]));
      part = exists[k] ? fma(value, static_cast<widened<T>>(widen(factor[k])), part) : part;
    }
    sum += part;
  }
  return sum;
}

}  // namespace detail

/// For few output channels per group, as in depthwise convolutions, and for few products. Groups are as large as the grid has
/// threads for.
template <class T>
KG_DEVICE void conv_direct(const T* x, const T* weight, T* y, const ConvShape& shape) {
  constexpr u32 most = conv_direct_group * conv_direct_terms;  // terms at a time
  KG_SHARED detail::DirectTap taps[most];
  const u32 terms = detail::conv_terms(shape);
  const u32 outputs = shape.batch * shape.image_channels.extent * shape.rows.extent * shape.columns.extent;
  const Group group = detail::conv_group(outputs);
  for (u64 at = u64{block_index()} * group.count; at < outputs; at += u64{grid_size()} * group.count) {
    const bool works = group.index < group.count && at + group.index < outputs;
    const u32 index = works ? static_cast<u32>(at) + group.index : 0;
    const u32 line = divide(index, shape.columns), plane = divide(line, shape.rows);
    const detail::ConvOutput<T> output(x, weight, y, shape, plane, line - plane * shape.rows.extent,
                                       index - line * shape.columns.extent);
    widened<T> sum = 0;
    KG_NO_UNROLL for (u32 first = 0; first < terms; first += most) {
      const u32 count = terms - first < most ? terms - first : most, step = conv_direct_terms * group.size;
      sync();  // the previous terms may still be read
      for (u32 i = thread_index(); i < ((count + step - 1) & ~(step - 1)); i += block_size())
        taps[i] = detail::DirectTap(shape, first + i);
      sync();
      sum += shape.row_spacing.extent * shape.column_spacing.extent != 1
                 ? detail::direct_sum<true>(output, shape, taps, count, group)
                 : detail::direct_sum<false>(output, shape, taps, count, group);
    }
    sum = group_reduce(group, sum, [](auto a, auto b) KG_INLINE { return a + b; });
    if (works && group.rank == 0) *output.target = convert<T>(sum);
  }
}

}  // namespace kg
