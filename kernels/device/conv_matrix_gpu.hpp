#pragma once
/// Convolution as a matrix product on a GPU: output pixels × kernel elements times kernel elements × output
/// channels. The first matrix is gathered from the image as it is needed, a pack of neighbouring pixels at a time.
#include "device/conv_sum.hpp"
#include "device/matrix_tile_gpu.hpp"

namespace kg::detail {

/// Where the kernels of neighbouring pixels begin: the first one's element of the image, its row and column.
struct ConvLine {
  i64 element;
  i32 row, column;

  /// For `pixel`, seen from pixel `first` of the line: elements of the line are counted from there.
  static KG_DEVICE ConvLine from(const ConvShape& shape, u32 pixel, u32 first) {
    const ConvPixel at = conv_pixel(shape, pixel);
    const i32 column = at.column - static_cast<i32>(pixel - first) * shape.column_stride;
    return {at.batch * x_batch(shape) + line_offset(shape, at.row) + column, at.row, column};
  }
};

/// A kernel element: its channel's first input element and its row and column, from the kernel's first.
struct ConvTap {
  i64 element;
  i32 row, column;
  bool exists;

  KG_DEVICE ConvTap(const ConvShape& shape, u32 index) {
    const u32 channel = divide(index, shape.kernel_size);
    const u32 rest = index - channel * shape.kernel_size.extent, r = divide(rest, shape.kernel_columns);
    const u32 c = rest - r * shape.kernel_columns.extent;
    exists = channel < shape.in_channels;
    row = static_cast<i32>(r) * shape.row_dilation;
    column = static_cast<i32>(c) * shape.column_dilation;
    element = channel * shape.x_channel + line_offset(shape, row) + column;
  }
};

/// Pixels from `first_pixel` on, by kernel elements: load() gathers the next part.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct PixelPanel : PanelShare<T, S, rows, depth, by_terms> {
  using Share = PanelShare<T, S, rows, depth, by_terms>;
  using Share::held, Share::packs, Share::place, Share::term, Share::width;

  const ConvShape& shape;
  const T* image;
  u32 next;          ///< tap of the next part's first term
  u32 pixel, count;  ///< the pack's first, and how many of its pixels exist
  u32 cut;           ///< of them on the first line; the others are on the second
  ConvLine line[2];

  KG_DEVICE PixelPanel(const ConvShape& shape, const T* image, u32 first_pixel, u32 pixels)
      : Share(false), shape(shape), image(image), next(0), pixel(first_pixel + place) {
    count = pixel < pixels ? pixels - pixel : 0;
    count = count < width ? count : width;
    const u32 begin = count == 0 ? 0 : pixel;
    const u32 columns = shape.columns.extent,
              left = columns - (begin - divide(begin, shape.columns) * columns);
    cut = left < count ? left : count;
    line[0] = ConvLine::from(shape, begin, begin);
    line[1] = cut < count ? ConvLine::from(shape, begin + cut, begin) : line[0];
  }

  KG_DEVICE void load() {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const ConvTap tap(shape, next + term(p));
      Pack<T, width> pack{};
      if (tap.exists && (count == width || count > 0)) {
        const i32 stride = shape.column_stride, column = line[0].column + tap.column;
        const bool is_run = cut == width && inside(line[0].row + tap.row, shape.in_rows) && column >= 0 &&
                            column + static_cast<i32>(width - 1) * stride < shape.in_columns;
        if (is_run) {
          const T* from = image + line[0].element + tap.element;
          KG_UNROLL for (u32 e = 0; e < width; ++e)
              pack.set(static_cast<int>(e), from[static_cast<i64>(e) * stride]);
        } else {
          KG_UNROLL for (u32 e = 0; e < width; ++e) {
            const ConvLine at = line_of(e);
            const i32 to = at.column + static_cast<i32>(e) * stride + tap.column;
            const bool exists =
                e < count && inside(at.row + tap.row, shape.in_rows) && inside(to, shape.in_columns);
            // The image's first element instead of what is missing: it is there in any case.
            const i64 element = at.element + static_cast<i64>(e) * stride + tap.element;
            const T value = image[exists ? element : 0];
            pack.set(static_cast<int>(e), exists ? value : T{});
            separate();
          }
        }
      }
      KG_UNROLL for (int w = 0; w < Pack<T, width>::words; ++w) held[p].word[w] = pack.word[w];
    }
    next += depth;
  }

 private:
  /// Where pixel e's kernel begins, seen from the pack's first pixel. Rows shorter than a pack make more lines
  /// than are kept.
  KG_DEVICE ConvLine line_of(u32 e) const {
    if (e < cut) return line[0];
    if (shape.columns.extent >= width) return line[1];
    return ConvLine::from(shape, e < count ? pixel + e : pixel, pixel);
  }
};

/// Output channels from `first` on, by kernel elements whose weights lie anyhow: load() gathers the next part.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct WeightPanel : PanelShare<T, S, rows, depth, by_terms> {
  using Share = PanelShare<T, S, rows, depth, by_terms>;
  using Share::held, Share::packs, Share::row, Share::term, Share::width;

  const ConvShape& shape;
  const T* weight;  ///< of channel `first`
  u32 channels;     ///< from there on
  u32 next;         ///< tap of the next part's first term

  KG_DEVICE WeightPanel(const ConvShape& shape, const T* weight, u32 first)
      : Share(true),
        shape(shape),
        weight(weight + static_cast<i64>(first) * shape.weight_out),
        channels(shape.out_channels - first),
        next(0) {}

  KG_DEVICE void load() {
    const u32 taps = shape.in_channels * shape.kernel_size.extent;
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      Pack<T, width> pack{};
      KG_UNROLL for (u32 e = 0; e < width; ++e) {
        const u32 tap = next + term(p) + e;
        const bool exists = tap < taps && row(p) < channels;
        const u32 channel = divide(tap, shape.kernel_size), rest = tap - channel * shape.kernel_size.extent;
        const u32 r = divide(rest, shape.kernel_columns), c = rest - r * shape.kernel_columns.extent;
        const i64 element = static_cast<i64>(row(p)) * shape.weight_out + weight_offset(shape, channel, r, c);
        const T value = weight[exists ? element : 0];
        pack.set(static_cast<int>(e), exists ? value : T{});
        separate();
      }
      KG_UNROLL for (int w = 0; w < Pack<T, width>::words; ++w) held[p].word[w] = pack.word[w];
    }
    next += depth;
  }
};

template <class T, bool by_unit>
struct ConvTile {
  using type = FmaTile<T>;
};
template <class T>
struct ConvTile<T, true> {
  using type = UnitTile<T, sizeof(T) == 8 ? 64 : 128, 64>;
};

/// Tiles of pixels by channels of one group.
template <class T>
KG_DEVICE void conv_products(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Tile = typename ConvTile<T, MatrixUnit<multiplied<T>>::exists>::type;
  using S = typename Tile::S;
  constexpr u32 rows = Tile::rows, columns = Tile::columns, depth = Tile::depth;
  // A tile that transposes is given pixels as they come.
  using Pixels = PixelPanel<T, S, rows, depth, Tile::by_terms && !Tile::transposes>;
  using Weights = WeightPanel<T, S, columns, depth, Tile::by_terms>;
  using WholeWeights = MatrixPanel<T, S, columns, depth, Tile::by_terms, true>;
  KG_SHARED TileStages<Tile> stages;
  KG_SHARED i64 output[rows];  ///< of the tile's pixels, in a group's first channel; -1 where there is none

  const u32 terms = shape.in_channels * shape.kernel_size.extent;
  const u32 pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  const u32 tiles_across = (shape.out_channels + columns - 1) / columns,
            tiles_down = (pixels + rows - 1) / rows;
  const u64 tiles = static_cast<u64>(tiles_across) * tiles_down * shape.groups;
  for (u64 index = block_index(); index < tiles; index += grid_size()) {
    const u32 channel = static_cast<u32>(index % tiles_across) * columns;
    const u64 rest = index / tiles_across;
    const u32 pixel = static_cast<u32>(rest % tiles_down) * rows, group = static_cast<u32>(rest / tiles_down);
    const T* image = x + group * shape.in_channels * shape.x_channel;
    const T* kernels = weight + group * shape.weight_group;
    T* outputs = y + (group * shape.out_channels + channel) * shape.y_channel;
    for (u32 p = thread_index(); p < rows; p += block_threads)
      output[p] = pixel + p < pixels ? output_offset(shape, conv_pixel(shape, pixel + p), 0) : -1;

    Tile tile;
    Pixels left(shape, image, pixel, pixels);
    // The weights of a convolution that is not transposed are a matrix.
    const Matrix<T> matrix{kernels, shape.out_channels, terms, shape.weight_out, 1};
    const bool is_matrix = shape.weight_column == 1 &&
                           shape.weight_row == static_cast<i32>(shape.kernel_columns.extent) &&
                           shape.weight_in == static_cast<i32>(shape.kernel_size.extent);
    if (is_matrix && is_whole<columns, Tile>(matrix)) {
      WholeWeights right(matrix, channel, true);
      sum_tile(tile, left, right, terms, stages);
    } else {
      Weights right(shape, kernels, channel);
      sum_tile(tile, left, right, terms, stages);
    }
    tile.results([&](u32 i, u32 j, auto sum) KG_INLINE {
      if (output[i] < 0 || channel + j >= shape.out_channels) return;
      // Outside the image an infinite weight met a zero, if the sum is NaN: it is done again.
      if (sum != sum) {
        const ConvPixel at = conv_pixel(shape, pixel + i);
        sum = conv_sum(image + at.batch * x_batch(shape), kernels + (channel + j) * shape.weight_out, shape,
                       at.row, at.column);
      }
      outputs[output[i] + j * shape.y_channel] = convert<T>(sum);
    });
    sync();  // `output` serves the next tile
  }
}

}  // namespace kg::detail
