#pragma once
/// Convolution as a matrix product on a GPU: output pixels × kernel elements times kernel elements × output
/// channels. The first matrix is gathered from the image as it is needed, a pack of neighbouring pixels at a time.
#include "device/parked.hpp"
#include "engines/conv_direct.hpp"
#include "engines/conv_tap.hpp"
#include "engines/matrix_tile_gpu.hpp"
#include "plan/conv.hpp"

namespace kg::detail {

/// What a block keeps in shared memory: the shape, a tile's pixels, and the kernel's elements from some term on. A thread
/// works out one of those for all others.
template <u32 rows>
struct ConvTables {
  Parked<ConvShape> shape;
  ConvPlace place[rows];
  ConvTap tap[block_threads];
};

/// The tile's pixels by kernel elements: begin() gathers the first of those, load() the next part.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct PixelPanel : PanelShare<T, S, rows, depth, by_terms> {
  using Share = PanelShare<T, S, rows, depth, by_terms>;
  using Share::held, Share::own_row, Share::packs, Share::term, Share::width;

  const ConvShape& shape;
  ConvTables<rows>& tables;  ///< of which the places are there
  const T* image;
  u32 next = 0;         ///< the next part's first term
  u32 place = 0;        ///< whose tap is there
  bool are_neighbours;  ///< all of the pack's pixels, in the image as well
  i64 element;          ///< the first one's
  i32 row, column;

  KG_DEVICE PixelPanel(const ConvShape& shape, ConvTables<rows>& tables, const T* image)
      : Share(false), shape(shape), tables(tables), image(image) {
    const ConvPlace &first = tables.place[own_row], &last = tables.place[own_row + width - 1];
    element = first.element;
    row = first.row;
    column = first.column;
    are_neighbours = shape.column_stride == 1 && last.column - column == static_cast<i32>(width) - 1;
  }

  KG_DEVICE void begin(u32 terms) {
    find_taps();
    gather(terms);
  }
  KG_DEVICE void load() {
    if (place + depth > block_threads) find_taps();
    gather(depth);
  }

 private:
  /// Those of the next terms. What of the last ones was read, was so before a sync().
  KG_DEVICE void find_taps() {
    tables.tap[thread_index()] = ConvTap(unpark_for_thread(tables.shape, shape), next + thread_index());
    place = 0;
    sync();
  }
  KG_DEVICE void gather(u32 terms) {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const ConvTap tap = tables.tap[place + term(p)];
      const bool exists =
          term(p) < terms && (are_neighbours ? inside(row + tap.row, shape.in_rows) : tap.exists());
      const i32 first = column + tap.column;
      const bool is_whole =
          exists && are_neighbours && first >= 0 && first + static_cast<i32>(width) <= shape.in_columns;
      // A wave whose packs are all whole takes one jump and masks no lane.
      if (loads_from_anywhere && native::ballot(!is_whole) == 0)
        held[p] = load_pack_from_anywhere<width>(image + (element + tap.element));
      else
        held[p] = exists ? gather_pack(tap) : Pack<T, width>{};
    }
    next += terms;
    place += terms;
  }
  /// Of a tap whose row is in the image where all pixels are neighbours.
  KG_DEVICE Pack<T, width> gather_pack(const ConvTap& tap) const {
    Pack<T, width> pack{};
    if (are_neighbours) {
      const T* const from = image + (element + tap.element);
      KG_UNROLL for (u32 e = 0; e < width; ++e) {
        if (inside(column + tap.column + static_cast<i32>(e), shape.in_columns))
          pack.set(static_cast<int>(e), from[e]);
      }
      return pack;
    }
    // What is missing is read as the image's first element, which is there in any case. Of sixteen few at a time: more
    // addresses would not fit the registers.
    constexpr u32 together = width < 16 ? width : 4;
    KG_UNROLL for (u32 first = 0; first < width; first += together) {
      i64 found[together];
      T value[together];
      KG_UNROLL for (u32 e = 0; e < together; ++e) {
        const ConvPlace& at = tables.place[own_row + first + e];
        const bool is_inside =
            inside(at.row + tap.row, shape.in_rows) && inside(at.column + tap.column, shape.in_columns);
        found[e] = is_inside ? at.element + tap.element : -1;
      }
      KG_UNROLL for (u32 e = 0; e < together; ++e) value[e] = image[found[e] < 0 ? 0 : found[e]];
      KG_UNROLL for (u32 e = 0; e < together; ++e)
          pack.set(static_cast<int>(first + e), found[e] < 0 ? T{} : value[e]);
      if (first + together < width) separate();
    }
    return pack;
  }
};

/// Stores a tile's sums of the pixels up to `last` and of the group's channels from `channel` on, whose results begin at
/// `outputs`. `doubtful` tells of NaN.
template <class Tile, class T, u32 rows>
KG_DEVICE void store_sums(const Tile& tile, const ConvTables<rows>& tables, T* outputs,
                          const ConvShape& shape, u32 last, u32 channel, u32& doubtful) {
  tile.results([&](u32 i, u32 j, const auto& sums) KG_INLINE {
    if (i > last) return;
    T* const to = outputs + tables.place[i].output;
    KG_UNROLL for (u32 k = 0; k < Tile::run; ++k) {
      if (channel + j + k >= shape.out_channels) return;
      to[(j + k) * shape.y_channel] = convert<T>(sums[k]);
      if (sums[k] != sums[k]) doubtful = 1;
    }
  });
}

/// Does again what of the same is NaN.
template <u32 columns, class T, u32 rows>
KG_DEVICE void repair_sums(const ConvTables<rows>& tables, const T* image, const T* kernels, T* outputs,
                           const ConvShape& shape, u32 pixel, u32 last, u32 channel) {
  const u32 terms = conv_terms(shape);
  KG_NO_UNROLL for (u32 k = thread_index(); k < rows * columns; k += block_threads) {
    const u32 i = k % rows, j = k / rows;
    if (i > last || channel + j >= shape.out_channels) continue;
    T& result = outputs[tables.place[i].output + j * shape.y_channel];
    if (const auto sum = widen(result); sum == sum) continue;
    const ConvPixel at = conv_pixel(shape, pixel + i);
    result = convert<T>(conv_sum(image + at.batch * x_batch(shape),
                                 kernels + static_cast<u64>(channel + j) * terms, shape, at.row, at.column));
  }
}

/// Tiles of pixels by channels of one group.
template <class T>
KG_DEVICE void conv_products(const T* x, const T* weight, T* y, const ConvShape& given) {
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
  KG_SHARED ConvTables<rows> tables;

  park(tables.shape, given);
  const u32 terms = conv_terms(given);
  const u32 pixels = given.batch * given.rows.extent * given.columns.extent;
  const u32 tiles_across = (given.out_channels + columns - 1) / columns,
            tiles_down = (pixels + rows - 1) / rows;
  const u64 tiles = static_cast<u64>(tiles_across) * tiles_down * given.groups;
  for (u64 index = block_index(); index < tiles; index += grid_size()) {
    const ConvShape shape = unpark(tables.shape, given);
    const u32 channel = static_cast<u32>(index % tiles_across) * columns;
    const u64 rest = index / tiles_across;
    const u32 pixel = static_cast<u32>(rest % tiles_down) * rows, group = static_cast<u32>(rest / tiles_down);
    const T* image = x + group * shape.in_channels * shape.x_channel;
    const T* kernels = weight + static_cast<u64>(group * shape.out_channels) * terms;
    T* outputs = y + (group * shape.out_channels + channel) * shape.y_channel;
    if (thread_index() == 0) doubtful = 0;
    const u32 last = at_most(pixels - pixel, rows) - 1;
    for (u32 p = thread_index(); p < rows; p += block_threads)
      tables.place[p] = ConvPlace(shape, conv_pixel(shape, pixel + (p < last ? p : last)));
    sync();

    Tile tile;
    Pixels left(shape, tables, image);
    const Matrix<T> matrix{kernels, shape.out_channels, terms, terms, 1};
    // What is gathered lies in one way. A second path takes registers that pointers of each thread's own leave to a
    // transposing unit's short one only.
    constexpr bool has_both = Tile::transposes || has_scalar_pointers;
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
    store_sums(tile, tables, outputs, unpark(tables.shape, given), last, channel, doubtful);
    sync();
    // Outside the image an infinite weight met a zero, where a sum is NaN: it is done again.
    if (doubtful != 0)
      repair_sums<columns>(tables, image, kernels, outputs, unpark(tables.shape, given), pixel, last,
                           channel);
    sync();  // the tables serve the next tile
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
