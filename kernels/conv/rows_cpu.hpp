#pragma once
/// Convolution on CPUs directly from the image: the input rows needed by a block of output rows are copied
/// once, with padding, and adjacent output elements of a row are multiplied by vectors of output channels in
/// registers (after Georganas et al., "Anatomy of High-Performance Deep Learning Convolutions on SIMD
/// Architectures", 2018).
#include "conv/segment_cpu.hpp"
#include "device/prefetch.hpp"

namespace kg::detail {

/// Sizes and buffers for sums of that type, sized for the caches.
template <class Sum>
struct ConvRows {
  static constexpr u32 lanes = vector_bytes / sizeof(Sum);
  static constexpr u32 vectors = 4, channels = vectors * lanes;
  /// Pixels whose sums for two vectors of channels are in registers; with the operands they use all vector
  /// registers.
  static constexpr u32 width = vector_bytes == 64 ? 14 : 6;
  static constexpr u32 pixels = 1024;  ///< with the copied input, half of an L2 of 1 MiB
  static constexpr u32 taps = 288;     ///< their weights stay mostly in L1
  static constexpr u32 part = 128;     ///< taps accumulated in registers before they join the sum
  static constexpr u32 elements = (128u << 10) / sizeof(Sum);

  typedef Sum Vector __attribute__((ext_vector_type(lanes)));

  alignas(64) Sum element[elements + lanes];  ///< [input channel][row][column modulo stride][column / stride]
  alignas(64) Sum weight[2 * lanes * taps];   ///< [tap][channel], of one or two vectors of channels
  alignas(64) Sum sum[channels * pixels];     ///< [pair of vectors][pixel][channel]
  alignas(64) Sum line[lanes][pixels + lanes];  ///< a row of a vector's channels
  u32 offset[taps];  ///< of each tap's element relative to the lowest row and column
  u32 tap[taps];     ///< index of each tap's term in the kernel's memory order
};

/// A block's extents. `top` and `left` are the lowest row and column of the taps, relative to a pixel's own.
struct ConvRowPlan {
  u32 rows, columns;
  i32 top, left;
  u32 in_rows;
  u32 phase;     ///< input columns that are a stride apart
  u32 pitch;     ///< elements of an input row: all phases
  u32 channels;  ///< input channels at a time; 0: this algorithm does not apply
  u32 images;    ///< more than one only if a tile has whole images
  u32 outputs;   ///< output channels
};

KG_DEVICE i32 lowest_tap(u32 taps, i32 dilation) {
  return dilation < 0 ? static_cast<i32>(taps - 1) * dilation : 0;
}
KG_DEVICE i64 tap_reach(u32 taps, i32 dilation) {
  return static_cast<i64>(taps - 1) * (dilation < 0 ? -dilation : dilation) + 1;
}
KG_DEVICE u32 pieces(u32 extent, u32 size) { return (extent + size - 1) / size; }
/// The piece size, at most `most`, that divides `extent` into pieces of similar size.
KG_DEVICE u32 even_piece(u32 extent, u32 most) { return pieces(extent, pieces(extent, most)); }

template <class Block>
KG_DEVICE ConvRowPlan plan_rows(const ConvShape& shape) {
  ConvRowPlan plan{};
  const u32 columns = shape.columns.extent, kernel_columns = shape.kernel_columns.extent;
  plan.columns = even_piece(columns, Block::pixels);
  plan.rows = even_piece(shape.rows.extent, Block::pixels / plan.columns);
  plan.top = lowest_tap(shape.kernel_rows, shape.row_dilation);
  plan.left = lowest_tap(kernel_columns, shape.column_dilation);
  const i64 in_rows =
      static_cast<i64>(plan.rows - 1) * shape.row_stride + tap_reach(shape.kernel_rows, shape.row_dilation);
  const i64 in_columns = static_cast<i64>(plan.columns - 1) * shape.column_stride +
                         tap_reach(kernel_columns, shape.column_dilation);
  const i64 phase = (in_columns + shape.column_stride - 1) / shape.column_stride;
  const i64 pitch = phase * shape.column_stride;
  // Few columns would leave registers unused, and the copies must not be much larger than the panels they
  // replace.
  if (shape.in_channels == 0 || plan.columns < 3 || shape.kernel_size.extent > Block::taps ||
      in_rows > Block::elements || pitch > Block::elements || in_rows * pitch > Block::elements ||
      in_rows * pitch > 2 * static_cast<i64>(plan.rows * plan.columns) * shape.kernel_size.extent)
    return plan;
  plan.in_rows = static_cast<u32>(in_rows);
  plan.phase = static_cast<u32>(phase);
  plan.pitch = static_cast<u32>(pitch);
  const u32 fit = Block::elements / (plan.in_rows * plan.pitch),
            most = Block::taps / shape.kernel_size.extent;
  plan.channels = even_piece(shape.in_channels, fit < most ? fit : most);
  plan.images = 1;
  plan.outputs = Block::channels;
  if (plan.rows == shape.rows.extent && plan.columns == columns) {
    // For small images, a tile takes more channels or more images, as long as all threads have work: the
    // tile's input is copied and its weights are packed only once.
    const u32 sums = plan.rows * pieces(columns, Block::lanes) * Block::lanes;
    const u32 copies = Block::elements / (plan.channels * plan.in_rows * plan.pitch);
    const u32 wide = pieces(shape.out_channels, Block::channels), room = Block::pixels / sums;
    const u64 shares = u64{shape.batch} * shape.groups * wide / grid_size();
    const u32 most = shares < room ? static_cast<u32>(shares) : room;
    if (most > 1) {
      const u32 across = even_piece(wide, most), images = most / across;
      plan.outputs = across * Block::channels;
      plan.images = even_piece(shape.batch, images < copies ? images : copies);
    }
  }
  return plan;
}

/// Computes the taps of several input channels, ordered by kernel row, so that rows outside the image can be
/// skipped.
template <class Block>
KG_DEVICE void find_taps(Block& block, u32 channels, const ConvShape& shape, const ConvRowPlan& plan) {
  const u32 columns = shape.kernel_columns.extent, stride = static_cast<u32>(shape.column_stride);
  for (u32 channel = 0, term = 0; channel < channels; ++channel)
    for (u32 r = 0; r < shape.kernel_rows; ++r)
      for (u32 c = 0; c < columns; ++c) {
        const u32 row = static_cast<u32>(static_cast<i32>(r) * shape.row_dilation - plan.top);
        const u32 column = static_cast<u32>(static_cast<i32>(c) * shape.column_dilation - plan.left);
        const u32 tap = (r * channels + channel) * columns + c;
        block.tap[term++] = tap;
        block.offset[tap] =
            (channel * plan.in_rows + row) * plan.pitch + column % stride * plan.phase + column / stride;
      }
}

/// The kernel rows that are inside the image.
KG_DEVICE Span kernel_rows_inside(const ConvShape& shape, i32 row) {
  Span span{0, 0};
  const auto falls = [&](u32 r) KG_INLINE {
    return inside(row + static_cast<i32>(r) * shape.row_dilation, shape.in_rows);
  };
  while (span.first < shape.kernel_rows && !falls(span.first)) ++span.first;
  for (span.last = span.first; span.last < shape.kernel_rows && falls(span.last);) ++span.last;
  return span;
}

/// The unit of work: several rows of several output channels.
struct ConvRowTile {
  ConvPixel first;
  u32 index;          ///< of the first pixel
  u32 rows, columns;  ///< of each image
  u32 images;
  u32 group, channel, channels;  ///< of the group's output, from `channel` on
};

/// Copies the input of a tile's pixels, for `channels` channels from `image` on. Rows outside the image are
/// not read, nor is anything from `end` on.
template <class Block, class T>
KG_DEVICE void copy_rows(Block& block, const T* image, const T* end, const ConvRowTile& tile, u32 channels,
                         const ConvShape& shape, const ConvRowPlan& plan) {
  using Lanes = typename MakeIndices<Block::lanes>::type;
  auto* to = block.element;
  const i32 top = tile.first.row + plan.top, left = tile.first.column + plan.left;
  const Span span = span_inside(left, 1, plan.pitch, shape.in_columns);
  const bool is_split = shape.column_stride == 2 && plan.pitch <= Block::pixels;
  for (u32 i = 0; i < tile.images; ++i, image += x_batch(shape))
    for (u32 channel = 0; channel < channels; ++channel)
      for (u32 r = 0; r < plan.in_rows; ++r, to += plan.pitch) {
        const i32 row = top + static_cast<i32>(r);
        if (!inside(row, shape.in_rows)) continue;
        const T* line = image + channel * shape.x_channel + line_offset(shape, row) + left;
        prefetch(line + 2 * shape.x_channel,
                 plan.pitch);  // the hardware prefetcher stops at the end of the rows
        if (shape.column_stride == 1) {
          copy_line(line, end, span, plan.pitch, to);
        } else if (is_split) {
          copy_line(line, end, span, plan.pitch, block.line[0]);
          split_pairs(Lanes{}, block.line[0], to, plan.phase);
        } else {
          for (i32 p = 0; p < shape.column_stride; ++p)
            gather_segment<Block::width>(to + p * plan.phase, line + p, left + p, plan.phase, shape);
        }
      }
}

/// Offset of the copied elements for row `r` of a tile's rows.
KG_DEVICE u32 copied_row(const ConvRowTile& tile, u32 r, u32 channels, const ConvShape& shape,
                         const ConvRowPlan& plan) {
  const u32 image = r / tile.rows, row = r - image * tile.rows;
  return (image * channels * plan.in_rows + row * static_cast<u32>(shape.row_stride)) * plan.pitch;
}

/// Transposes a square of as many rows as a vector has lanes, `pitch` apart, and calls store(i, row) for the
/// first `count` rows of the result.
template <class Block, class Sum, class F>
KG_DEVICE void transpose_square(const Sum* from, u32 pitch, u32 count, F store) {
  typename Block::Vector rows[Block::lanes];
  KG_UNROLL for (u32 i = 0; i < Block::lanes; ++i) rows[i] =
      *reinterpret_cast<const typename Block::Vector*>(from + i * pitch);
  transpose(rows);
  KG_UNROLL for (u32 i = 0; i < Block::lanes; ++i) {
    if (i < count) store(i, rows[i]);
  }
}

/// Packs the weights of `taps` taps from `kernels` on for `count` output channels of `depth` terms each,
/// zero-padded to the vector.
template <class Block, class Sum, class T>
KG_DEVICE void pack_weights(const Block& block, const T* kernels, u32 count, u32 taps, u32 depth, Sum* to,
                            u32 pitch) {
  constexpr u32 lanes = Block::lanes;
  alignas(64) Sum square[lanes][lanes] = {};
  for (u32 k = 0; k < taps; k += lanes) {
    const u32 length = taps - k < lanes ? taps - k : lanes;
    for (u32 i = 0; i < count; ++i) {
      const T* from = kernels + static_cast<u64>(i) * depth + k;
      Sum* line = square[i];
      for_each_masked<lanes>(0, length, [=](u64 j) KG_INLINE { line[j] = widen(from[j]); });
    }
    transpose_square<Block>(&square[0][0], lanes, length, [&](u32 i, auto row) KG_INLINE {
      *reinterpret_cast<typename Block::Vector*>(to + block.tap[k + i] * pitch) = row;
    });
  }
}

/// Adds the products of adjacent pixels with several vectors of channels to their sums.
template <u32 Width, u32 Vectors, class Sum>
__attribute__((noinline, min_vector_width(8 * vector_bytes))) void multiply_pixels(
    const Sum* element, const u32* offset, u32 taps, const Sum* weight, Sum* sum, bool adds) {
  using Vector = typename ConvRows<Sum>::Vector;
  Vector part[Width][Vectors] = {};
  const Vector* factor = reinterpret_cast<const Vector*>(weight);
  for (u32 t = 0; t < taps; ++t, factor += Vectors) {
    const Sum* from = element + offset[t];
    KG_UNROLL for (u32 j = 0; j < Width; ++j) {
      KG_UNROLL for (u32 v = 0; v < Vectors; ++v) part[j][v] =
          multiply_add(Vector(from[j]), factor[v], part[j][v]);
    }
  }
  Vector* total = reinterpret_cast<Vector*>(sum);
  if (adds) {
    KG_UNROLL for (u32 j = 0; j < Width; ++j) {
      KG_UNROLL for (u32 v = 0; v < Vectors; ++v) part[j][v] += total[j * Vectors + v];
    }
  }
  KG_UNROLL for (u32 j = 0; j < Width; ++j) {
    KG_UNROLL for (u32 v = 0; v < Vectors; ++v) total[j * Vectors + v] = part[j][v];
  }
}

/// multiply_pixels for a width of up to `Most`, known at run time.
template <u32 Vectors, u32 Most, class Sum>
KG_DEVICE void multiply_some_pixels(u32 width, const Sum* element, const u32* offset, u32 taps,
                                    const Sum* weight, Sum* sum, bool adds) {
  if constexpr (Most > 1) {
    if (width < Most)
      return multiply_some_pixels<Vectors, Most - 1>(width, element, offset, taps, weight, sum, adds);
  }
  multiply_pixels<Most, Vectors>(element, offset, taps, weight, sum, adds);
}

/// Adds the products of taps `first` to `last` for a row of pixels with one or two vectors of channels.
template <u32 Vectors, class Block, class Sum>
KG_DEVICE void multiply_row(const Block& block, const Sum* line, u32 columns, u32 first, u32 last,
                            const Sum* weight, Sum* sum, bool adds) {
  constexpr u32 lanes = Vectors * Block::lanes;
  const u32 width = even_piece(columns, Block::width);
  for (u32 c = 0; c < columns; c += width) {
    u32 t = first;
    do {  // once even without taps, to zero the sums
      const u32 taps = last - t < Block::part ? last - t : Block::part;
      multiply_some_pixels<Vectors, Block::width>(columns - c < width ? columns - c : width, line + c,
                                                  block.offset + t, taps, weight + t * lanes, sum + c * lanes,
                                                  adds || t > first);
      t += taps;
    } while (t < last);
  }
}

template <class Block>
KG_DEVICE u64 count_row_tiles(const ConvShape& shape, const ConvRowPlan& plan) {
  const u64 planes = static_cast<u64>(pieces(shape.batch, plan.images)) * shape.groups;
  return planes * pieces(shape.columns.extent, plan.columns) * pieces(shape.rows.extent, plan.rows) *
         pieces(shape.out_channels, plan.outputs);
}

template <class Block>
KG_DEVICE ConvRowTile row_tile(const ConvShape& shape, const ConvRowPlan& plan, u64 index) {
  const auto next = [&](u32 extent, u32 size) KG_INLINE {
    const u32 count = pieces(extent, size), first = static_cast<u32>(index % count) * size;
    index /= count;
    return first;
  };
  ConvRowTile tile;
  tile.channel = next(shape.out_channels, plan.outputs);
  const u32 column = next(shape.columns.extent, plan.columns), row = next(shape.rows.extent, plan.rows);
  tile.group = next(shape.groups, 1);
  const u32 batch = next(shape.batch, plan.images);
  tile.index = (batch * shape.rows.extent + row) * shape.columns.extent + column;
  tile.first = conv_pixel(shape, tile.index);
  const auto left = [](u32 extent, u32 first, u32 size)
                        KG_INLINE { return extent - first < size ? extent - first : size; };
  tile.images = left(shape.batch, batch, plan.images);
  tile.rows = left(shape.rows.extent, row, plan.rows);
  tile.columns = left(shape.columns.extent, column, plan.columns);
  tile.channels = left(shape.out_channels, tile.channel, plan.outputs);
  return tile;
}

/// Number of rows from `r` on whose results are contiguous, limited to as many as make the transpose of their
/// sums worthwhile.
template <class Block>
KG_DEVICE u32 rows_of_run(const ConvRowTile& tile, u32 r, const ConvShape& shape) {
  if (tile.columns != shape.columns.extent || shape.y_row != tile.columns * shape.y_column) return 1;
  const u32 left = tile.rows - r % tile.rows, enough = pieces(4 * Block::lanes, tile.columns);
  return left < enough ? left : enough;
}

/// Stores the sums of a segment for a vector of channels, of which the first `count` exist.
template <class Block, class Sum, class T>
KG_DEVICE void finish_run(Block& block, const Sum* sum, u32 pitch, const ConvSegment& segment, const T* image,
                          const T* kernels, T* y, u32 channel, u32 count, const ConvShape& shape) {
  for (u32 i = 0; i < segment.count; i += Block::lanes)
    transpose_square<Block>(sum + i * pitch, pitch, Block::lanes, [&](u32 l, auto row) KG_INLINE {
      *reinterpret_cast<typename Block::Vector*>(&block.line[l][i]) = row;
    });
  for (u32 l = 0; l < count; ++l)
    store_channel(&segment, 1, block.line[l], image, kernels + static_cast<u64>(l) * conv_terms(shape), y,
                  channel + l, shape);
}

/// Prefetches a row's results for writing; stores read their cache lines from memory too.
template <class T>
KG_DEVICE void prefetch_results(T* y, const ConvPixel& pixel, u32 channel, u32 channels, u32 columns,
                                const ConvShape& shape) {
  for (u32 l = 0; l < channels; ++l) {
    const T* to = y + output_offset(shape, pixel, channel + l);
    for (u32 i = 0; i < columns; i += 64 / sizeof(T)) __builtin_prefetch(to + i * shape.y_column, 1);
  }
}

/// Processes all tiles of a launch.
template <class T>
KG_DEVICE void conv_rows(const T* x, const T* weight, T* y, const ConvShape& shape, const ConvRowPlan& plan) {
  using Sum = widened<T>;
  using Block = ConvRows<Sum>;
  constexpr u32 lanes = Block::lanes;
  Block block;
  const u32 depth = conv_terms(shape), kernel_columns = shape.kernel_columns.extent;
  const u64 tiles = count_row_tiles<Block>(shape, plan);
  u32 found = 0;  // channels whose taps are computed
  for (u64 i = block_index(); i < tiles; i += grid_size()) {
    const ConvRowTile tile = row_tile<Block>(shape, plan, i);
    const u32 first_channel = tile.group * shape.out_channels + tile.channel;
    const T* image = x + tile.group * shape.in_channels * shape.x_channel;
    const T* kernels = weight + static_cast<u64>(first_channel) * depth;
    for (u32 c = 0; c < shape.in_channels; c += plan.channels) {
      const bool is_last = shape.in_channels - c <= plan.channels;
      const u32 channels = is_last ? shape.in_channels - c : plan.channels;
      if (channels != found) find_taps(block, found = channels, shape, plan);
      copy_rows(block, image + tile.first.batch * x_batch(shape) + c * shape.x_channel,
                x + shape.batch * x_batch(shape), tile, channels, shape, plan);
      for (u32 v = 0; v < tile.channels; v += 2 * lanes) {
        const u32 here = tile.channels - v < 2 * lanes ? tile.channels - v : 2 * lanes;
        const u32 pitch = here > lanes ? 2 * lanes : lanes;
        for (u32 half = 0; half < here; half += lanes)
          pack_weights(block, kernels + static_cast<u64>(v + half) * depth + c * shape.kernel_size.extent,
                       here - half < lanes ? here - half : lanes, channels * shape.kernel_size.extent, depth,
                       block.weight + half, pitch);
        u32 run;
        for (u32 r = 0; r < tile.images * tile.rows; r += run) {
          run = rows_of_run<Block>(tile, r, shape);
          const ConvSegment segment(shape, tile.index + r * shape.columns.extent, 0, run * tile.columns);
          if (is_last) prefetch_results(y, segment.pixel, first_channel + v, here, segment.count, shape);
          Sum* const sums = block.sum + v * tile.images * tile.rows * tile.columns + r * tile.columns * pitch;
          for (u32 i = 0; i < run; ++i) {
            const Span rows =
                kernel_rows_inside(shape, segment.pixel.row + static_cast<i32>(i) * shape.row_stride);
            const u32 first = rows.first * channels * kernel_columns,
                      last = rows.last * channels * kernel_columns;
            const Sum* line = block.element + copied_row(tile, r + i, channels, shape, plan);
            Sum* sum = sums + i * tile.columns * pitch;
            if (pitch > lanes)
              multiply_row<2>(block, line, tile.columns, first, last, block.weight, sum, c > 0);
            else
              multiply_row<1>(block, line, tile.columns, first, last, block.weight, sum, c > 0);
          }
          if (!is_last) continue;
          for (u32 half = 0; half < here; half += lanes)
            finish_run(block, sums + half, pitch, segment, image,
                       kernels + static_cast<u64>(v + half) * depth, y, first_channel + v + half,
                       here - half < lanes ? here - half : lanes, shape);
        }
      }
    }
  }
}

}  // namespace kg::detail
