#pragma once
/// Convolution as a matrix product on CPUs: output elements are gathered into panels of two vectors and
/// multiplied by several output channels in registers (after Goto and van de Geijn, "Anatomy of
/// high-performance matrix multiplication", 2008).
#include "conv/rows_cpu.hpp"

namespace kg::detail {

/// Sizes and buffers for sums of that type, sized for the caches.
template <class Sum>
struct ConvBlock {
  static constexpr u32 lanes = vector_bytes / sizeof(Sum);
  static constexpr u32 width = 2 * lanes;  ///< of a panel
  static constexpr u32 panels = 8;
  static constexpr u32 pixels = panels * width;
  /// Channels per register tile, two vectors each: as many as AVX2 has registers for; with AVX-512, enough to
  /// hide latency.
  static constexpr u32 rows = vector_bytes == 64 ? 8 : 6;
  static constexpr u32 channels = 128 / rows * rows;
  static constexpr u32 depth = 128;  ///< a panel stays in L1 while it is multiplied by all channels

  typedef Sum Vector __attribute__((ext_vector_type(lanes)));

  alignas(64) Sum element[panels][depth][width];
  alignas(64) Sum weight[channels][depth];
  alignas(64) Sum sum[channels][pixels];
  ConvSegment segment[pixels];
  u32 segments;
  u32 count;  ///< of pixels
};

template <class Block>
KG_DEVICE void cut_segments(Block& block, const ConvShape& shape, u32 first, u32 count) {
  block.count = count;
  block.segments = 0;
  for (u32 done = 0; done < count;) {
    ConvSegment& segment = block.segment[block.segments++];
    segment = ConvSegment(shape, first + done, done, count - done);
    const u32 row_left = shape.columns.extent - segment.pixel.output_column;
    const u32 panel_left = Block::width - done % Block::width;
    const u32 most = row_left < panel_left ? row_left : panel_left;
    if (segment.count > most) segment.count = most;
    done += segment.count;
  }
}

/// Fills the panels with kernel elements [first, first + depth) of all the block's pixels.
template <class Block, class T>
KG_DEVICE void gather_panels(Block& block, const T* image, const ConvShape& shape, u32 first, u32 depth) {
  const u32 used = block.count % Block::width;
  if (used != 0)
    for (u32 k = 0; k < depth; ++k)
      for (u32 j = used; j < Block::width; ++j) block.element[block.count / Block::width][k][j] = 0;
  const u32 channel0 = first / shape.kernel_size.extent, rest = first % shape.kernel_size.extent;
  const u32 row0 = rest / shape.kernel_columns.extent, column0 = rest % shape.kernel_columns.extent;
  for (u32 s = 0; s < block.segments; ++s) {
    const auto& segment = block.segment[s];
    auto* to = &block.element[segment.first / Block::width][0][segment.first % Block::width];
    u32 channel = channel0, r = row0, c = column0;
    for (u32 k = 0; k < depth;) {
      const i32 row = segment.pixel.row + static_cast<i32>(r) * shape.row_dilation;
      const T* line =
          image + segment.pixel.batch * x_batch(shape) + channel * shape.x_channel + line_offset(shape, row);
      const bool exists = inside(row, shape.in_rows);
      for (; c < shape.kernel_columns.extent && k < depth; ++c, ++k, to += Block::width) {
        const i32 column = segment.pixel.column + static_cast<i32>(c) * shape.column_dilation;
        if (exists)
          gather_segment<Block::width>(to, line + column, column, segment.count, shape);
        else
          clear_span(to, 0, segment.count);
      }
      if (c == shape.kernel_columns.extent) {
        c = 0;
        if (++r == shape.kernel_rows) {
          r = 0;
          ++channel;
        }
      }
    }
  }
}

/// Adds the products of a panel with the channels from `channel` on to their sums.
template <class Block>
KG_DEVICE void multiply_panel(Block& block, u32 panel, u32 channel, u32 depth) {
  using Vector = typename Block::Vector;
  Vector part[Block::rows][2] = {};
  for (u32 k = 0; k < depth; ++k) {
    const Vector* element = reinterpret_cast<const Vector*>(block.element[panel][k]);
    const Vector left = element[0], right = element[1];
    KG_UNROLL for (u32 r = 0; r < Block::rows; ++r) {
      const Vector factor = block.weight[channel + r][k];
      part[r][0] = multiply_add(left, factor, part[r][0]);
      part[r][1] = multiply_add(right, factor, part[r][1]);
    }
  }
  KG_UNROLL for (u32 r = 0; r < Block::rows; ++r) {
    Vector* total = reinterpret_cast<Vector*>(&block.sum[channel + r][panel * Block::width]);
    total[0] += part[r][0];
    total[1] += part[r][1];
  }
}

template <class T>
KG_DEVICE void conv_tiles(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  using Block = ConvBlock<Sum>;
  Block block;
  const u32 depth = shape.in_channels * shape.kernel_size.extent;
  const u32 pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  const u32 across = (pixels + Block::pixels - 1) / Block::pixels;
  const u32 down = (shape.out_channels + Block::channels - 1) / Block::channels;
  const u64 tiles = static_cast<u64>(across) * down * shape.groups;
  for (u64 tile = block_index(); tile < tiles; tile += grid_size()) {
    const u32 first_pixel = static_cast<u32>(tile / down % across) * Block::pixels;
    const u32 group = static_cast<u32>(tile / down / across);
    const u32 first_channel = static_cast<u32>(tile % down) * Block::channels;
    const u32 channels = shape.out_channels - first_channel < Block::channels
                             ? shape.out_channels - first_channel
                             : Block::channels;
    const T* image = x + group * shape.in_channels * shape.x_channel;
    const T* kernels = weight + static_cast<u64>(group * shape.out_channels + first_channel) * depth;
    cut_segments(block, shape, first_pixel,
                 pixels - first_pixel < Block::pixels ? pixels - first_pixel : Block::pixels);
    for (u32 c = 0; c < Block::channels; ++c)
      for (u32 j = 0; j < Block::pixels; ++j) block.sum[c][j] = 0;
    for (u32 k = 0; k < depth; k += Block::depth) {
      const u32 length = depth - k < Block::depth ? depth - k : Block::depth;
      gather_panels(block, image, shape, k, length);
      for (u32 c = 0; c < Block::channels && c < channels + Block::rows; ++c) {
        const T* from = kernels + static_cast<u64>(c) * depth + k;
        for (u32 i = 0; i < length; ++i) block.weight[c][i] = c < channels ? widen(from[i]) : Sum(0);
      }
      for (u32 panel = 0; panel * Block::width < block.count; ++panel)
        for (u32 c = 0; c < channels; c += Block::rows) multiply_panel(block, panel, c, length);
    }
    for (u32 c = 0; c < channels; ++c)
      store_channel(block.segment, block.segments, block.sum[c], image, kernels + static_cast<u64>(c) * depth,
                    y, group * shape.out_channels + first_channel + c, shape);
  }
}

template <class T>
KG_DEVICE void conv_implicit_gemm_any(const T* x, const T* weight, T* y, const ConvShape& shape) {
  const ConvRowPlan plan = plan_rows<ConvRows<widened<T>>>(shape);
  if (plan.channels > 0)
    conv_rows(x, weight, y, shape, plan);
  else
    conv_tiles(x, weight, y, shape);
}

}  // namespace kg::detail

namespace kg {

template <class T>
KG_DEVICE void conv_implicit_gemm_small(const T* x, const T* weight, T* y, const ConvShape& shape) {
  detail::conv_implicit_gemm_any(x, weight, y, shape);
}
template <class T>
KG_DEVICE void conv_implicit_gemm(const T* x, const T* weight, T* y, const ConvShape& shape) {
  detail::conv_implicit_gemm_any(x, weight, y, shape);
}

}  // namespace kg
