#pragma once
/// Convolutions with few output channels per group on CPUs: from copied rows as in conv/rows_cpu.hpp, but
/// with vectors of adjacent pixels.
#include "conv/per_element_cpu.hpp"
#include "conv/rows_cpu.hpp"
#include "engines/panel_cpu.hpp"

namespace kg {

namespace detail {

/// Adds the products of `taps` taps to the sums of several vectors of adjacent pixels.
template <u32 Vectors, class Sum>
KG_DEVICE void add_taps(const Sum* element, const u32* offset, u32 taps, const Sum* weight, Sum* sum,
                        bool adds) {
  using Vector = typename ConvRows<Sum>::Vector;
  constexpr u32 lanes = ConvRows<Sum>::lanes;
  Vector even[Vectors] = {}, odd[Vectors] = {};  // two accumulators hide the latency of the additions
  u32 t = 0;
  for (; t + 1 < taps; t += 2) {
    const Sum *first = element + offset[t], *second = element + offset[t + 1];
    KG_UNROLL for (u32 v = 0; v < Vectors; ++v) {
      even[v] = multiply_add(load_vector(first + v * lanes), Vector(weight[t]), even[v]);
      odd[v] = multiply_add(load_vector(second + v * lanes), Vector(weight[t + 1]), odd[v]);
    }
  }
  if (t < taps) {
    KG_UNROLL for (u32 v = 0; v < Vectors; ++v) even[v] =
        multiply_add(load_vector(element + offset[t] + v * lanes), Vector(weight[t]), even[v]);
  }
  typedef Sum Unaligned __attribute__((ext_vector_type(lanes), aligned(sizeof(Sum))));
  Unaligned* total = reinterpret_cast<Unaligned*>(sum);
  KG_UNROLL for (u32 v = 0; v < Vectors; ++v) {
    even[v] += odd[v];
    total[v] = adds ? total[v] + even[v] : even[v];
  }
}

/// Adds the products of taps `first` to `last` for a row of pixels.
template <class Block, class Sum>
KG_DEVICE void add_row(const Block& block, const Sum* line, u32 columns, u32 first, u32 last, Sum* sum,
                       bool adds) {
  u32 t = first;
  do {  // once even without taps, to zero the sums
    const u32 taps = last - t < Block::part ? last - t : Block::part;
    const auto add = [&](auto vectors, u32 c) KG_INLINE {
      add_taps<vectors>(line + c, block.offset + t, taps, block.weight + t, sum + c, adds || t > first);
    };
    constexpr u32 lanes = Block::lanes;
    u32 c = 0;
    for (; c + 3 * lanes < columns; c += 4 * lanes) add(Constant<4>{}, c);
    for (; c + lanes < columns; c += 2 * lanes) add(Constant<2>{}, c);
    if (c < columns) add(Constant<1>{}, c);
    t += taps;
  } while (t < last);
}

/// Stride of a tile's rows of sums, which are whole vectors.
template <class Block>
KG_DEVICE u32 sums_pitch(const ConvRowPlan& plan) {
  return pieces(plan.columns, Block::lanes) * Block::lanes;
}

/// Whether the sums of all of a tile's channels fit.
template <class Block>
KG_DEVICE bool sums_fit(const ConvShape& shape, const ConvRowPlan& plan) {
  const u64 channels = shape.out_channels < plan.outputs ? shape.out_channels : plan.outputs;
  return channels * plan.images * plan.rows * sums_pitch<Block>(plan) <= Block::channels * Block::pixels;
}

template <class T>
KG_DEVICE void conv_planes(const T* x, const T* weight, T* y, const ConvShape& shape,
                           const ConvRowPlan& plan) {
  using Sum = widened<T>;
  using Block = ConvRows<Sum>;
  Block block;
  const u32 depth = conv_terms(shape), size = shape.kernel_size.extent;
  const u32 pitch = sums_pitch<Block>(plan);
  const u64 tiles = count_row_tiles<Block>(shape, plan);
  u32 found = 0;  // channels whose taps are computed
  for (u64 i = block_index(); i < tiles; i += grid_size()) {
    const ConvRowTile tile = row_tile<Block>(shape, plan, i);
    const u32 first_channel = tile.group * shape.out_channels + tile.channel;
    const T* image = x + tile.group * shape.in_channels * shape.x_channel;
    // Rows that are adjacent in memory are stored together. Sums are computed in whole vectors, the last of which extend
    // into the next row, whose sums replace them.
    const bool is_tight = shape.in_channels <= plan.channels && tile.columns == shape.columns.extent &&
                          shape.y_row == tile.columns * shape.y_column;
    for (u32 c = 0; c < shape.in_channels; c += plan.channels) {
      const bool is_last = shape.in_channels - c <= plan.channels;
      const u32 channels = is_last ? shape.in_channels - c : plan.channels;
      if (channels != found) find_taps(block, found = channels, shape, plan);
      copy_rows(block, image + tile.first.batch * x_batch(shape) + c * shape.x_channel,
                x + shape.batch * x_batch(shape), tile, channels, shape, plan);
      for (u32 v = 0; v < tile.channels; ++v) {
        const T* kernel = weight + static_cast<u64>(first_channel + v) * depth;
        for (u32 k = 0; k < channels * size; ++k) block.weight[block.tap[k]] = widen(kernel[c * size + k]);
        for (u32 i = 0; i < tile.images; ++i) {
          const u32 row_taps = channels * shape.kernel_columns.extent, first_row = i * tile.rows;
          const ConvSegment plane(shape, tile.index + first_row * shape.columns.extent, 0,
                                  is_tight ? tile.rows * tile.columns : tile.columns);
          Sum* sum = is_tight ? block.sum : block.sum + (v * plan.images * plan.rows + first_row) * pitch;
          for (u32 r = 0; r < tile.rows; ++r, sum += is_tight ? tile.columns : pitch) {
            const Span rows =
                kernel_rows_inside(shape, plane.pixel.row + static_cast<i32>(r) * shape.row_stride);
            add_row(block, block.element + copied_row(tile, first_row + r, channels, shape, plan),
                    tile.columns, rows.first * row_taps, rows.last * row_taps, sum, c > 0);
            if (!is_last || is_tight) continue;
            const ConvSegment segment(shape, plane.index + r * shape.columns.extent, 0, tile.columns);
            store_channel(&segment, 1, sum, image, kernel, y, first_channel + v, shape);
          }
          if (is_tight) store_channel(&plane, 1, block.sum, image, kernel, y, first_channel + v, shape);
        }
      }
    }
  }
}

}  // namespace detail

/// For few output channels per group, as in depthwise convolutions.
template <class T>
KG_DEVICE void conv_direct(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Block = detail::ConvRows<widened<T>>;
  const detail::ConvRowPlan plan = detail::plan_rows<Block>(shape);
  if (plan.channels > 0 && detail::sums_fit<Block>(shape, plan))
    detail::conv_planes(x, weight, y, shape, plan);
  else
    detail::conv_per_element(x, weight, y, shape);
}

}  // namespace kg
