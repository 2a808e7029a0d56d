#pragma once
#include <cstdlib>
#include <optional>

#include "common/quotient.hpp"
#include "ops/iteration.hpp"
#include "plan/map_plan.hpp"

namespace kernelgen {

/// The dims tiles are cut along: the result is contiguous along `columns`, an operand along `rows`.
struct TileDims {
  int columns, rows;
};

/// The dims along which tiled reads of an operand pay off, if any. Short dims may separate neighbours.
template <int N>
std::optional<TileDims> tile_dims(const DeviceTraits& device, const Iteration<N>& nest, int operand,
                                  std::size_t element_bytes) {
  const std::int64_t elements = nest.elements();
  // Kernels of this form run as a single launch.
  if (elements > launch_limit) return std::nullopt;
  const auto& stride = nest.stride[static_cast<std::size_t>(operand)];
  if (stride[0] == 1) return std::nullopt;
  const std::int64_t gap = tile_gap(elements, element_bytes, device);
  int columns = 0;
  std::int64_t pitch = 1;
  while (columns < nest.rank && nest.extent[columns] < least_tile_extent) pitch *= nest.extent[columns++];
  if (columns == nest.rank || pitch > gap) return std::nullopt;
  int rows = columns;
  for (int d = 0; d < nest.rank; ++d)
    if (nest.extent[d] >= least_tile_extent && stride[d] >= 1 && stride[d] <= gap &&
        stride[d] < std::abs(stride[rows]))
      rows = d;
  if (rows == columns) return std::nullopt;
  return TileDims{columns, rows};
}

/// The nest over a contiguous result cut into tiles of two dims with side `side`. Operand `first` moves to
/// the front; the others keep their order.
template <int N>
kg::Tiles<N> make_tiles(const Iteration<N>& nest, const TileDims& dims, std::int64_t side, int first = 0) {
  kg::Tiles<N> tiles{};
  kg::Strided<N + 1>& origins = tiles.origins;
  origins.elements = 1;
  std::array<const std::int64_t*, N> strides;
  for (int k = 0; k < N; ++k) strides[k] = nest.stride[k == 0 ? first : k <= first ? k - 1 : k].data();

  const auto pitch = [&](int d) {
    std::int64_t elements = 1;
    for (int inner = 0; inner < d; ++inner) elements *= nest.extent[inner];
    return elements;
  };
  const auto add = [&](int d, std::int64_t step) {
    const auto extent = static_cast<unsigned>(quotient_up(nest.extent[d], step));
    origins.dim[origins.rank] = divisor(extent);
    origins.elements *= extent;
    for (int k = 0; k < N; ++k) origins.stride[k][origins.rank] = strides[k][d] * step;
    origins.stride[N][origins.rank++] = pitch(d) * step;
  };
  add(dims.columns, side);
  add(dims.rows, side);
  // Dims that separate neighbours of the result or the operand come last; kernels identify them by stride.
  const auto is_between = [&](int d) {
    return d < dims.columns || (strides[0][d] > 0 && strides[0][d] < strides[0][dims.rows]);
  };
  for (const bool between : {false, true})
    for (int d = 0; d < nest.rank; ++d)
      if (d != dims.columns && d != dims.rows && is_between(d) == between) add(d, 1);

  tiles.columns = static_cast<unsigned>(nest.extent[dims.columns]);
  tiles.rows = static_cast<unsigned>(nest.extent[dims.rows]);
  for (int k = 0; k < N; ++k) {
    tiles.column_stride[k] = strides[k][dims.columns];
    tiles.row_stride[k] = strides[k][dims.rows];
  }
  tiles.column_stride[N] = pitch(dims.columns);
  tiles.row_stride[N] = pitch(dims.rows);
  return tiles;
}

}  // namespace kernelgen
