#pragma once
/// Convolution as a matrix product on a GPU: output pixels × kernel elements times kernel elements × output
/// channels. The first matrix is gathered from the image as it is needed, a pack of neighbouring pixels at a time.
#include "engines/conv_direct.hpp"
#include "engines/conv_tap.hpp"
#include "engines/matrix_tile_gpu.hpp"
#include "plan/conv.hpp"

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

/// Pixels from `first_pixel` on, by kernel elements: begin() gathers the first of them, load() the next part.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct PixelPanel : PanelShare<T, S, rows, depth, by_terms> {
  using Share = PanelShare<T, S, rows, depth, by_terms>;
  using Share::held, Share::own_row, Share::packs, Share::term, Share::width;

  const ConvShape& shape;
  const T* image;
  u32 next;          ///< tap of the next part's first term
  u32 pixel, count;  ///< the pack's first, and how many of its pixels exist
  u32 cut;           ///< of them on the first line; the others are on the second
  ConvLine line[2];

  KG_DEVICE PixelPanel(const ConvShape& shape, const T* image, u32 first_pixel, u32 pixels)
      : Share(false), shape(shape), image(image), next(0), pixel(first_pixel + own_row) {
    count = pixel < pixels ? pixels - pixel : 0;
    count = count < width ? count : width;
    const u32 begin = count == 0 ? 0 : pixel;
    const u32 columns = shape.columns.extent,
              left = columns - (begin - divide(begin, shape.columns) * columns);
    cut = left < count ? left : count;
    line[0] = ConvLine::from(shape, begin, begin);
    line[1] = cut < count ? ConvLine::from(shape, begin + cut, begin) : line[0];
  }

  KG_DEVICE void begin(u32 terms) { gather(terms); }
  KG_DEVICE void load() { gather(depth); }

 private:
  KG_DEVICE void gather(u32 terms) {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const ConvTap tap(shape, next + term(p));
      Pack<T, width> pack{};
      if (term(p) < terms && tap.exists && count != 0) {
        if (cut == width && shape.column_stride == 1) {
          const i32 column = line[0].column + tap.column;
          const T* from = image + (line[0].element + tap.element);
          const bool is_row = inside(line[0].row + tap.row, shape.in_rows);
          if (loads_from_anywhere && is_row && column >= 0 &&
              column + static_cast<i32>(width) <= shape.in_columns) {
            held[p] = load_pack_from_anywhere<width>(from);
            continue;
          }
          KG_UNROLL for (u32 e = 0; e < width; ++e) {
            T value{};
            if (is_row && inside(column + static_cast<i32>(e), shape.in_columns)) value = from[e];
            pack.set(static_cast<int>(e), value);
          }
        } else {
          // What is missing is read as the image's first element, which is there in any case. Of sixteen few at a time:
          // more addresses would not fit the registers.
          constexpr u32 together = width < 16 ? width : 4;
          KG_UNROLL for (u32 first = 0; first < width; first += together) {
            i64 element[together];
            T value[together];
            KG_UNROLL for (u32 e = 0; e < together; ++e) element[e] = find(tap, first + e);
            KG_UNROLL for (u32 e = 0; e < together; ++e) value[e] = image[element[e] < 0 ? 0 : element[e]];
            KG_UNROLL for (u32 e = 0; e < together; ++e)
                pack.set(static_cast<int>(first + e), element[e] < 0 ? T{} : value[e]);
            if (first + together < width) separate();
          }
        }
      }
      KG_UNROLL for (int w = 0; w < Pack<T, width>::words; ++w) held[p].word[w] = pack.word[w];
    }
    next += terms;
  }

  /// The input element under a kernel's element for pixel e, or -1 outside the image.
  KG_DEVICE i64 find(const ConvTap& tap, u32 e) const {
    const ConvLine at = line_of(e);
    const i32 step = static_cast<i32>(e) * shape.column_stride;
    const bool exists = e < count && inside(at.row + tap.row, shape.in_rows) &&
                        inside(at.column + step + tap.column, shape.in_columns);
    return exists ? at.element + step + tap.element : -1;
  }
  /// Where pixel e's kernel begins, seen from the pack's first pixel. Rows shorter than a pack make more lines
  /// than are kept.
  KG_DEVICE ConvLine line_of(u32 e) const {
    if (e < cut) return line[0];
    if (shape.columns.extent >= width) return line[1];
    return ConvLine::from(shape, e < count ? pixel + e : pixel, pixel);
  }
};

/// Tiles of pixels by channels of one group.
template <class T>
KG_DEVICE void conv_products(const T* x, const T* weight, T* y, const ConvShape& shape) {
  constexpr u32 unit_rows = sizeof(T) == 8 ? 64 : 128, unit_columns = 64;
  using Tile = typename ProductTile<T, unit_rows, unit_columns, true>::type;
  using S = typename Tile::S;
  constexpr u32 rows = Tile::rows, columns = Tile::columns, depth = Tile::depth;
  static_assert(rows >= conv_wide_tile.pixels && columns >= conv_wide_tile.channels,
                "the grid is made for tiles no smaller");
  // A tile that transposes is given pixels as they come.
  using Pixels = PixelPanel<T, S, rows, depth, Tile::by_terms && !Tile::transposes>;
  using Weights = MatrixPanel<T, S, columns, depth, Tile::by_terms>;
  using WholeWeights = WholePanel<T, S, columns, depth, Tile::by_terms>;
  KG_SHARED typename Tile::Stages stages;
  KG_SHARED u32 doubtful;
  KG_SHARED i64 output[rows];  ///< of the tile's pixels, in a group's first channel; -1 where there is none

  const u32 terms = conv_terms(shape);
  const u32 pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  const u32 tiles_across = (shape.out_channels + columns - 1) / columns,
            tiles_down = (pixels + rows - 1) / rows;
  const u64 tiles = static_cast<u64>(tiles_across) * tiles_down * shape.groups;
  for (u64 index = block_index(); index < tiles; index += grid_size()) {
    const u32 channel = static_cast<u32>(index % tiles_across) * columns;
    const u64 rest = index / tiles_across;
    const u32 pixel = static_cast<u32>(rest % tiles_down) * rows, group = static_cast<u32>(rest / tiles_down);
    const T* image = x + group * shape.in_channels * shape.x_channel;
    const T* kernels = weight + static_cast<u64>(group * shape.out_channels) * terms;
    T* outputs = y + (group * shape.out_channels + channel) * shape.y_channel;
    if (thread_index() == 0) doubtful = 0;
    for (u32 p = thread_index(); p < rows; p += block_threads)
      output[p] = pixel + p < pixels ? output_offset(shape, conv_pixel(shape, pixel + p), 0) : -1;

    Tile tile;
    Pixels left(shape, image, pixel, pixels);
    const Matrix<T> matrix{kernels, shape.out_channels, terms, terms, 1};
    // What is gathered lies in one way. A second path takes registers that neither packs of sixteen pixels leave nor, but for
    // a transposing unit's short one, pointers of each thread's own.
    constexpr bool has_both = Tile::transposes || (has_scalar_pointers && Pixels::width < 16);
    if (has_both && is_whole<columns, Tile>(matrix)) {
      if constexpr (has_both) {
        WholeWeights right(matrix, channel, true);
        sum_tile<Lengthwise<!Pixels::lies_by_terms>, Lengthwise<WholeWeights::lies_by_terms>>(
            tile, left, right, terms, short_part<depth>(terms), stages);
      }
    } else {
      Weights right(matrix, channel, true);
      sum_tile(tile, left, right, terms, depth, stages);
    }
    tile.results([&](u32 i, u32 j, const auto& sums) KG_INLINE {
      if (output[i] < 0) return;
      KG_UNROLL for (u32 k = 0; k < Tile::run; ++k) {
        if (channel + j + k >= shape.out_channels) return;
        outputs[output[i] + (j + k) * shape.y_channel] = convert<T>(sums[k]);
        if (sums[k] != sums[k]) doubtful = 1;
      }
    });
    sync();
    // Outside the image an infinite weight met a zero, where a sum is NaN: it is done again.
    if (doubtful != 0) {
      KG_NO_UNROLL for (u32 k = thread_index(); k < rows * columns; k += block_threads) {
        const u32 i = k % rows, j = k / rows;
        if (output[i] < 0 || channel + j >= shape.out_channels) continue;
        T& result = outputs[output[i] + j * shape.y_channel];
        if (const auto sum = widen(result); sum == sum) continue;
        const ConvPixel at = conv_pixel(shape, pixel + i);
        result =
            convert<T>(conv_sum(image + at.batch * x_batch(shape),
                                kernels + static_cast<u64>(channel + j) * terms, shape, at.row, at.column));
      }
      sync();
    }
    sync();  // `output` serves the next tile
  }
}

}  // namespace kg::detail

namespace kg {

/// For many output channels a group, by matrix instructions where there are any.
template <class T>
KG_DEVICE void conv_wide(const T* x, const T* weight, T* y, const ConvShape& shape) {
  if (block_size() == block_threads)
    detail::conv_products(x, weight, y, shape);
  else
    conv_direct(x, weight, y, shape);
}

}  // namespace kg
