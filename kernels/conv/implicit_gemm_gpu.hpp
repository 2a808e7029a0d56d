#pragma once
/// Convolution as a matrix product on GPUs: output pixels × kernel elements times kernel elements × output
/// channels. The left operand is gathered from the image on demand, a pack of adjacent pixels at a time.
#include "conv/direct_gpu.hpp"
#include "conv/tap.hpp"
#include "device/args_in_lds.hpp"
#include "engines/matrix_tile_gpu.hpp"
#include "plan/conv.hpp"

namespace kg::detail {

/// A block's shared tables: the shape, a tile's pixels, and the kernel's taps from some term on. Each thread
/// computes one tap for all.
template <u32 rows>
struct ConvTables {
  ArgsInLds<ConvShape> shape;
  ConvOutputPosition position[rows];
  ConvTap tap[block_threads];
};

/// The left operand: a tile's pixels by kernel elements, gathered from the image. begin() gathers the first part, load() the next.
template <class T, class S, u32 rows, u32 depth, bool by_terms>
struct PixelPanel : PanelShare<T, S, rows, depth, by_terms> {
  using Share = PanelShare<T, S, rows, depth, by_terms>;
  using Share::held, Share::own_row, Share::packs, Share::term, Share::width;

  const ConvShape& shape;
  ConvTables<rows>& tables;  ///< its `position` must be filled
  const T* image;
  u32 next = 0;         ///< the next part's first term
  u32 tap_index = 0;    ///< in the table
  bool are_neighbours;  ///< whether all of the pack's pixels are adjacent, in the image as well
  i64 element;          ///< input offset of the first pixel
  i32 row, column;

  KG_DEVICE PixelPanel(const ConvShape& shape, ConvTables<rows>& tables, const T* image)
      : Share(false), shape(shape), tables(tables), image(image) {
    const ConvOutputPosition &first = tables.position[own_row], &last = tables.position[own_row + width - 1];
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
    if (tap_index + depth > block_threads) find_taps();
    gather(depth);
  }

 private:
  /// Computes the taps of the next terms. A sync() must separate this from reads of the previous ones.
  KG_DEVICE void find_taps() {
    tables.tap[thread_index()] = ConvTap(load_args_per_thread(tables.shape, shape), next + thread_index());
    tap_index = 0;
    sync();
  }
  KG_DEVICE void gather(u32 terms) {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const ConvTap tap = tables.tap[tap_index + term(p)];
      const bool exists =
          term(p) < terms && (are_neighbours ? inside(row + tap.row, shape.in_rows) : tap.exists());
      const i32 first = column + tap.column;
      const bool is_whole =
          exists && are_neighbours && first >= 0 && first + static_cast<i32>(width) <= shape.in_columns;
      // A wave whose packs are all whole takes a uniform branch without masking lanes.
      if (has_unaligned_loads && native::ballot(!is_whole) == 0)
        held[p] = load_pack_unaligned<width>(image + (element + tap.element));
      else
        held[p] = exists ? gather_pack(tap) : Pack<T, width>{};
    }
    next += terms;
    tap_index += terms;
  }
  /// Gathers a pack for a tap whose row is in the image if all pixels are adjacent.
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
    // Missing elements read the image's first element, which always exists. Packs of sixteen are gathered
    // four at a time: more addresses would not fit the registers.
    constexpr u32 together = width < 16 ? width : 4;
    KG_UNROLL for (u32 first = 0; first < width; first += together) {
      i64 found[together];
      T value[together];
      KG_UNROLL for (u32 e = 0; e < together; ++e) {
        const ConvOutputPosition& at = tables.position[own_row + first + e];
        const bool is_inside =
            inside(at.row + tap.row, shape.in_rows) && inside(at.column + tap.column, shape.in_columns);
        found[e] = is_inside ? at.element + tap.element : -1;
      }
      KG_UNROLL for (u32 e = 0; e < together; ++e) value[e] = image[found[e] < 0 ? 0 : found[e]];
      KG_UNROLL for (u32 e = 0; e < together; ++e)
          pack.set(static_cast<int>(first + e), found[e] < 0 ? T{} : value[e]);
      if (first + together < width) sched_barrier();
    }
    return pack;
  }
};

/// Stores a tile's sums for pixels up to `last` and the group's channels from `channel` on; `outputs` is the
/// start of the group's results. Sets `has_nan` if a sum is NaN.
template <class Tile, class T, u32 rows>
KG_DEVICE void store_sums(const Tile& tile, const ConvTables<rows>& tables, T* outputs,
                          const ConvShape& shape, u32 last, u32 channel, u32& has_nan) {
  tile.results([&](u32 i, u32 j, const auto& sums) KG_INLINE {
    if (i > last) return;
    T* const to = outputs + tables.position[i].output;
    KG_UNROLL for (u32 k = 0; k < Tile::run; ++k) {
      if (channel + j + k >= shape.out_channels) return;
      to[(j + k) * shape.y_channel] = convert<T>(sums[k]);
      if (sums[k] != sums[k]) has_nan = 1;
    }
  });
}

/// Recomputes the NaN elements of the same tile.
template <u32 columns, class T, u32 rows>
KG_DEVICE void fix_padding_sums(const ConvTables<rows>& tables, const T* image, const T* kernels, T* outputs,
                                const ConvShape& shape, u32 pixel, u32 last, u32 channel) {
  const u32 terms = conv_terms(shape);
  KG_NO_UNROLL for (u32 k = thread_index(); k < rows * columns; k += block_threads) {
    const u32 i = k % rows, j = k / rows;
    if (i > last || channel + j >= shape.out_channels) continue;
    T& result = outputs[tables.position[i].output + j * shape.y_channel];
    if (const auto sum = widen(result); sum == sum) continue;
    const ConvPixel at = conv_pixel(shape, pixel + i);
    result = convert<T>(conv_sum(image + at.batch * x_batch(shape),
                                 kernels + static_cast<u64>(channel + j) * terms, shape, at.row, at.column));
  }
}

/// Computes tiles of pixels by channels of one group.
template <class T>
KG_DEVICE void conv_products(const T* x, const T* weight, T* y, const ConvShape& given) {
  constexpr u32 unit_rows = sizeof(T) == 8 ? 64 : 128, unit_columns = 64;
  using Tile = typename ProductTile<T, unit_rows, unit_columns, true>::type;
  using S = typename Tile::S;
  constexpr u32 rows = Tile::rows, columns = Tile::columns, depth = Tile::depth;
  static_assert(rows >= conv_implicit_gemm_tile.pixels && columns >= conv_implicit_gemm_tile.channels,
                "the grid is made for tiles no smaller");
  // A tile whose unit transposes takes pixels in the image's own layout.
  using Pixels = PixelPanel<T, S, rows, depth, Tile::by_terms && !Tile::transposes>;
  using Weights = MatrixPanel<T, S, columns, depth, Tile::by_terms>;
  using WholeWeights = WholePanel<T, S, columns, depth, Tile::by_terms>;
  KG_SHARED typename Tile::Stages stages;
  KG_SHARED u32 has_nan;
  KG_SHARED ConvTables<rows> tables;

  store_args(tables.shape, given);
  const u32 terms = conv_terms(given);
  const u32 pixels = given.batch * given.rows.extent * given.columns.extent;
  const u32 tiles_across = (given.out_channels + columns - 1) / columns,
            tiles_down = (pixels + rows - 1) / rows;
  const u64 tiles = static_cast<u64>(tiles_across) * tiles_down * given.groups;
  for (u64 index = block_index(); index < tiles; index += grid_size()) {
    const ConvShape shape = load_args(tables.shape, given);
    const u32 channel = static_cast<u32>(index % tiles_across) * columns;
    const u64 rest = index / tiles_across;
    const u32 pixel = static_cast<u32>(rest % tiles_down) * rows, group = static_cast<u32>(rest / tiles_down);
    const T* image = x + group * shape.in_channels * shape.x_channel;
    const T* kernels = weight + static_cast<u64>(group * shape.out_channels) * terms;
    T* outputs = y + (group * shape.out_channels + channel) * shape.y_channel;
    if (thread_index() == 0) has_nan = 0;
    const u32 last = at_most(pixels - pixel, rows) - 1;
    for (u32 p = thread_index(); p < rows; p += block_threads)
      tables.position[p] = ConvOutputPosition(shape, conv_pixel(shape, pixel + (p < last ? p : last)));
    sync();

    Tile tile;
    Pixels left(shape, tables, image);
    const Matrix<T> matrix{kernels, shape.out_channels, terms, terms, 1};
    // Gathered panels have a single layout. A second path for whole weights needs registers: they suffice if
    // pointers are in scalar registers, or for the shorter code of a unit that transposes.
    constexpr bool has_both = Tile::transposes || has_scalar_pointers;
    if (has_both && is_whole<columns, Tile>(matrix)) {
      if constexpr (has_both) {
        WholeWeights right(matrix, channel, true);
        sum_tile<StaticDirection<!Pixels::is_by_terms>, StaticDirection<WholeWeights::is_by_terms>>(
            tile, left, right, terms, short_part<depth>(terms), stages);
      }
    } else {
      Weights right(matrix, channel, true);
      sum_tile(tile, left, right, terms, depth, stages);
    }
    store_sums(tile, tables, outputs, load_args(tables.shape, given), last, channel, has_nan);
    sync();
    // A NaN sum may come from an infinite weight times a padding zero: it is recomputed.
    if (has_nan != 0)
      fix_padding_sums<columns>(tables, image, kernels, outputs, load_args(tables.shape, given), pixel, last,
                                channel);
    sync();  // the tables are reused by the next tile
  }
}

}  // namespace kg::detail

namespace kg {

/// For many output channels per group, by matrix instructions if the target has them.
template <class T>
KG_DEVICE void conv_implicit_gemm(const T* x, const T* weight, T* y, const ConvShape& shape) {
  if (block_size() == block_threads)
    detail::conv_products(x, weight, y, shape);
  else
    conv_direct(x, weight, y, shape);
}

}  // namespace kg
