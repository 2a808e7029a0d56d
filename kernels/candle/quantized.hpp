#pragma once
/// candle's kernels that convert to or from quantized blocks.
#include "candle/block.hpp"
#include "device/arithmetic.hpp"
#include "device/grid.hpp"
#include "engines/grid_stride.hpp"
#include "quantized/block_format.hpp"

namespace kg::candle {

template <class B>
inline constexpr u32 elements_of = slice_elements * BlockFormat<B>::slices;

/// A block as its format reads it.
template <class B>
KG_DEVICE auto bytes_of(const B& block) {
  return BlockInMemory<alignof(B)>{reinterpret_cast<const u8*>(&block)};
}

template <class B>
KG_DEVICE f32 offset_of(const B& block, int slice, int half) {
  if constexpr (BlockFormat<B>::has_offset)
    return BlockFormat<B>::offset(bytes_of(block), slice, half);
  else
    return 0;
}

/// Calls f(i, element) for elements i = 4 `word` to 4 `word` + 3 of the blocks at x.
template <class B, class F>
KG_DEVICE void for_four(const B* x, u64 word, F f) {
  constexpr u32 words = elements_of<B> / 4;
  const B& block = x[word / words];
  const int position = static_cast<int>(word % words), slice = position / slice_words,
            w = position % slice_words;
  const int half = w / (slice_words / 2);
  const u32 codes = BlockFormat<B>::word(bytes_of(block), slice, w);
  const f32 scale = BlockFormat<B>::scale(bytes_of(block), slice, half),
            offset = offset_of(block, slice, half);
  KG_UNROLL for (int e = 0; e < 4; ++e) f(4 * word + e, block_element<B>(codes, e, scale, offset));
}

/// y = the elements of n / 32 or n / 256 blocks.
template <class B, class T>
KG_DEVICE void dequantize(const B* x, T* y, u64 n) {
  for_each_index(n / 4, [&](u64 word) KG_INLINE {
    for_four(x, word, [&](u64 i, f32 element) KG_INLINE { y[i] = convert<T>(element); });
  });
}

/// One quantized block per block of the grid, as candle launches the K formats.
template <class B, class T>
KG_DEVICE void dequantize_grid(const B* x, T* y) {
  const u64 block = block_index();
  for (u32 word = thread_of_block(); word < elements_of<B> / 4; word += block_threads())
    for_four(x, block * (elements_of<B> / 4) + word,
             [&](u64 i, f32 element) KG_INLINE { y[i] = convert<T>(element); });
}

/// Calls f(row, id, first, step) for this block's result row, which is its x index in the grid. This thread
/// processes every `step`th piece of the row, starting at `first`.
template <class F>
KG_DEVICE void for_each_row(const u32* ids, F f) {
  const u64 row = block_index();
  const u32 step = grid_size_y() * block_threads();
  f(row, ids[row], block_index_y() * block_threads() + thread_of_block(), step);
}

inline constexpr u32 no_row = ~0u;

/// Row i of y is row ids[i] of a table whose rows of n elements are `pitch` bytes apart; zeros if the id is
/// the largest u32.
template <class B>
KG_DEVICE void get_rows(const B* x, const u32* ids, f32* y, i64 n, u64 pitch) {
  for_each_row(ids, [&](u64 row, u32 id, u32 first, u32 step) KG_INLINE {
    const B* source =
        reinterpret_cast<const B*>(reinterpret_cast<const u8*>(x) + (id == no_row ? 0 : id * pitch));
    f32* target = y + row * static_cast<u64>(n);
    for (u64 word = first; word < static_cast<u64>(n) / 4; word += step)
      if (id == no_row)
        for (u32 i = 0; i < 4; ++i) target[4 * word + i] = 0;
      else
        for_four(source, word, [&](u64 i, f32 element) KG_INLINE { target[i] = element; });
  });
}

/// get_rows for a table of plain elements with contiguous rows.
template <class T>
KG_DEVICE void get_plain_rows(const T* x, const u32* ids, f32* y, i64 n) {
  for_each_row(ids, [&](u64 row, u32 id, u32 first, u32 step) KG_INLINE {
    for (u64 i = first; i < static_cast<u64>(n); i += step)
      y[row * static_cast<u64>(n) + i] = id == no_row ? 0 : widen(x[id * static_cast<u64>(n) + i]);
  });
}

/// Quantizes the slice `position` of a row of n elements, by the threads of a group; elements from n on are zeros. The
/// second number of a block is the sum of the elements, as in candle.
template <class T>
KG_DEVICE void quantize_slice(const Group& group, bool takes_part, const T* x, u64 n, u64 position,
                              q8_1& block) {
  const auto element = [&](u32 i) KG_INLINE {
    const u64 at = position * slice_elements + i;
    return takes_part && at < n ? widen(x[at]) : 0;
  };
  f32 magnitude = 0, sum = 0;
  for (u32 i = group.rank; i < slice_elements; i += group.size) {
    magnitude = maximum(magnitude, abs(element(i)));
    sum += element(i);
  }
  magnitude = group_reduce(group, magnitude, [](f32 a, f32 b) KG_INLINE { return maximum(a, b); });
  sum = group_reduce(group, sum, [](f32 a, f32 b) KG_INLINE { return a + b; });
  if (!takes_part) return;
  const f32 step = magnitude / 127;
  for (u32 i = group.rank; i < slice_elements; i += group.size)
    block.q[i] = magnitude == 0 ? i8{0} : static_cast<i8>(convert<i32>(round(element(i) / step)));
  if (group.rank == 0) block.d = convert<f16>(step), block.s = convert<f16>(sum);
}

/// Quantizes `rows` rows, of which source(row) is the first of n elements, to `slices` blocks each: block k of a row is
/// target(row, k). The blocks of the grid's first dimension share the work.
template <class Source, class Target>
KG_DEVICE void quantize_to_bytes(u64 rows, u64 n, u64 slices, Source source, Target target) {
  const Group group = block_group(slice_elements);
  for (u64 first = static_cast<u64>(block_index()) * group.count; first < slices * rows;
       first += static_cast<u64>(grid_size()) * group.count) {
    const u64 task = first + group.index;
    const bool takes_part = group.index < group.count && task < slices * rows;
    const u64 row = takes_part ? task / slices : 0, position = takes_part ? task % slices : 0;
    quantize_slice(group, takes_part, source(row), n, position, target(row, position));
  }
}

/// Rows of n floats to contiguous rows of `padded` / 32 blocks. A block processes as many rows as it has threads along
/// y.
KG_DEVICE void quantize_q8_1(const f32* x, q8_1* y, i32 n, i32 padded) {
  const u64 slices = static_cast<u64>(padded) / slice_elements, rows = block_size_y();
  const u64 above = block_index_y() * rows;
  quantize_to_bytes(
      rows, static_cast<u64>(n), slices,
      [&](u64 row) KG_INLINE { return x + (above + row) * static_cast<u64>(n); },
      [&](u64 row, u64 k) KG_INLINE -> q8_1& { return y[(above + row) * slices + k]; });
}

/// Row r of the result, whose block k is y[r * row_step + k * slice_step], is row r of x, or row ids[r]. Rows of x are
/// `step` elements apart.
template <class T>
KG_DEVICE void quantize_rows(const T* x, const i32* ids, q8_1* y, u64 rows, u64 n, i64 step, u64 slices,
                             u64 row_step, u64 slice_step) {
  quantize_to_bytes(
      rows, n, slices,
      [&](u64 row) KG_INLINE { return x + (ids ? i64{ids[row]} : static_cast<i64>(row)) * step; },
      [&](u64 row, u64 k) KG_INLINE -> q8_1& { return y[row * row_step + k * slice_step]; });
}

}  // namespace kg::candle
