#pragma once
/// Convolution as a matrix product: output channels × kernel elements times kernel elements × output
/// elements. The right operand is gathered from the image into shared memory on demand.
#include "conv/tap.hpp"
#include "plan/conv.hpp"

namespace kg::detail {

/// A tile's operands for `Slab` consecutive kernel elements. Rows are padded to avoid bank conflicts along
/// columns.
template <class Sum, u32 Slab, u32 Channels, u32 Pixels>
struct ConvSlab {
  alignas(16) Sum weight[Slab][Channels + 4];
  alignas(16) Sum element[Slab][Pixels + 4];
  ConvTap tap[2][Slab];
  ConvOutputPosition position[Pixels];
};

/// Calls f(major, minor) for this thread's share of all pairs; `minor` is consecutive over threads.
template <u32 Major, u32 Minor, class F>
KG_DEVICE void for_each_pair(F f) {
  for (u32 i = thread_index(); i < Major * Minor; i += block_size()) f(i / Minor, i % Minor);
}

/// Each thread computes 4 × 4 elements of a tile at a time.
template <u32 Channels, u32 Pixels, class T>
KG_DEVICE void conv_tiles(const T* x, const T* weight, T* y, const ConvShape& shape) {
  using Sum = widened<T>;
  constexpr u32 slab = 16, micro = 4, micro_columns = Pixels / micro;
  constexpr u32 micro_tiles = Channels / micro * micro_columns;
  KG_SHARED ConvSlab<Sum, slab, Channels, Pixels> shared;

  const u32 depth = shape.in_channels * shape.kernel_size.extent;
  const u32 pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  const u32 tiles_across = (pixels + Pixels - 1) / Pixels;
  const u32 tiles_down = (shape.out_channels + Channels - 1) / Channels;
  const u64 tiles = static_cast<u64>(tiles_across) * tiles_down * shape.groups;
  for (u64 tile = block_index(); tile < tiles; tile += grid_size()) {
    const u32 across = static_cast<u32>(tile % tiles_across), rest = static_cast<u32>(tile / tiles_across);
    const u32 first_pixel = across * Pixels, group = rest / tiles_down;
    const u32 first_channel = rest % tiles_down * Channels;
    const T* image = x + group * shape.in_channels * shape.x_channel;
    const T* kernels = weight + static_cast<u64>(group * shape.out_channels) * depth;
    T* outputs = y + group * shape.out_channels * shape.y_channel;
    sync();  // the previous tile must be finished
    for (u32 p = thread_index(); p < Pixels; p += block_size()) {
      shared.position[p] = ConvOutputPosition(shape, conv_pixel(shape, first_pixel + p));
      if (first_pixel + p >= pixels) shared.position[p].row = no_row;
    }
    // A block with fewer threads than micro-tiles repeats the loop.
    for (u32 first = 0; first < micro_tiles; first += block_size()) {
      const u32 own = first + thread_index();
      const bool computes = own < micro_tiles;
      const u32 channel = computes ? own / micro_columns * micro : 0;
      const u32 column = computes ? own % micro_columns * micro : 0;
      Sum sum[micro][micro] = {}, part[micro][micro] = {};
      for (u32 i = thread_index(); i < slab; i += block_size()) shared.tap[0][i] = ConvTap(shape, i);
      sync();
      u32 turn = 0;  // the half of shared.tap that this slab uses, while the other is filled for the next
      for (u32 k = 0; k < depth; k += slab, turn ^= 1) {
        for_each_pair<Channels, slab>([&](u32 c, u32 i) KG_INLINE {
          const ConvTap tap = shared.tap[turn][i];
          const bool exists = tap.exists() && first_channel + c < shape.out_channels;
          shared.weight[i][c] =
              exists ? widen(kernels[static_cast<u64>(first_channel + c) * depth + k + i]) : Sum(0);
        });
        for_each_pair<slab, Pixels>([&](u32 i, u32 p) KG_INLINE {
          const ConvTap tap = shared.tap[turn][i];
          const ConvOutputPosition at = shared.position[p];
          const bool exists = at.row != no_row && tap.exists() && inside(at.row + tap.row, shape.in_rows) &&
                              inside(at.column + tap.column, shape.in_columns);
          shared.element[i][p] = exists ? widen(image[at.element + tap.element]) : Sum(0);
        });
        for (u32 i = thread_index(); i < slab; i += block_size())
          shared.tap[turn ^ 1][i] = ConvTap(shape, k + slab + i);
        sync();
        KG_UNROLL for (u32 i = 0; i < slab; ++i) KG_UNROLL for (u32 a = 0; a < micro; ++a)
            KG_UNROLL for (u32 b = 0; b < micro; ++b) part[a][b] =
                fma(shared.weight[i][channel + a], shared.element[i][column + b], part[a][b]);
        if ((k / slab & 3) == 3 || k + slab >= depth) {
          KG_UNROLL for (u32 a = 0; a < micro; ++a) KG_UNROLL for (u32 b = 0; b < micro; ++b) {
            sum[a][b] += part[a][b];
            part[a][b] = 0;
          }
        }
        sync();
      }
      if (computes) {
        // A NaN sum may come from an infinite weight times a padding zero: such elements are recomputed.
        u32 is_nan = 0;  // a bit per element
        KG_UNROLL for (u32 b = 0; b < micro; ++b) {
          const ConvOutputPosition at = shared.position[column + b];
          KG_UNROLL for (u32 a = 0; a < micro; ++a) {
            const u32 c = first_channel + channel + a;
            if (at.row == no_row || c >= shape.out_channels) continue;
            outputs[at.output + c * shape.y_channel] = convert<T>(sum[a][b]);
            if (sum[a][b] != sum[a][b]) is_nan |= 1u << (a * micro + b);
          }
        }
        for (; is_nan != 0; is_nan &= is_nan - 1) {
          u32 bit = 0;
          while (!(is_nan >> bit & 1)) ++bit;
          const ConvOutputPosition at = shared.position[column + bit % micro];
          const u32 c = first_channel + channel + bit / micro;
          const T* origin = image + (at.element - line_offset(shape, at.row) - at.column);
          outputs[at.output + c * shape.y_channel] =
              convert<T>(conv_sum(origin, kernels + static_cast<u64>(c) * depth, shape, at.row, at.column));
        }
      }
    }
  }
}

}  // namespace kg::detail

namespace kg {

/// For few output channels per group, by FMA instructions.
template <class T>
KG_DEVICE void conv_implicit_gemm_small(const T* x, const T* weight, T* y, const ConvShape& shape) {
  detail::conv_tiles<conv_implicit_gemm_small_tile.channels, conv_implicit_gemm_small_tile.pixels>(x, weight,
                                                                                                   y, shape);
}

}  // namespace kg
