#pragma once
#include "ops/grid.hpp"
#include "ops/iteration.hpp"

namespace kernelgen {

/// The dim along which an operand steps by one, where reading it in tiles pays; 0 where it does not.
template <int N>
int tiled_axis(const Iteration<N>& nest, int operand) {
  constexpr std::int64_t worth_a_tile = 16;
  const auto& stride = nest.stride[static_cast<std::size_t>(operand)];
  // Kernels of this form take one launch.
  if (nest.elements() > launch_limit) return 0;
  if (stride[0] == 0 || stride[0] == 1 || nest.extent[0] < worth_a_tile) return 0;
  for (std::size_t d = 1; d < static_cast<std::size_t>(nest.rank); ++d)
    if (stride[d] == 1 && nest.extent[d] >= worth_a_tile) return static_cast<int>(d);
  return 0;
}

/// The nest over a contiguous result cut into tiles of dims 0 and `axis`, `side` elements long. Operand
/// `first` comes first, the others keep their order.
template <int N>
kg::Tiles<N> make_tiles(const Iteration<N>& nest, int axis, std::int64_t side, int first = 0) {
  kg::Tiles<N> tiles{};
  kg::Strided<N + 1>& places = tiles.places;
  places.elements = 1;
  std::array<const std::int64_t*, N> strides;
  for (int k = 0; k < N; ++k) strides[k] = nest.stride[k == 0 ? first : k <= first ? k - 1 : k].data();

  const auto add = [&](int d, std::int64_t step) {
    const auto extent = static_cast<unsigned>(quotient_up(nest.extent[d], step));
    std::int64_t pitch = step;
    for (int inner = 0; inner < d; ++inner) pitch *= nest.extent[inner];
    places.dim[places.rank] = divisor(extent);
    places.elements *= extent;
    for (int k = 0; k < N; ++k) places.stride[k][places.rank] = strides[k][d] * step;
    places.stride[N][places.rank++] = pitch;
  };
  add(0, side);
  add(axis, side);
  for (int d = 1; d < nest.rank; ++d)
    if (d != axis) add(d, 1);

  tiles.columns = static_cast<unsigned>(nest.extent[0]);
  tiles.rows = static_cast<unsigned>(nest.extent[axis]);
  for (int k = 0; k <= N; ++k) {
    tiles.column_stride[k] = places.stride[k][0] / side;
    tiles.row_stride[k] = places.stride[k][1] / side;
  }
  return tiles;
}

/// Sides of tiles on a device, of operands of that many bytes an element.
inline std::int64_t tile_side(const DeviceState& device, std::size_t element_bytes) {
  return device.threads() > 0 ? kg::cpu_tile_side : kg::tile_side(static_cast<unsigned>(element_bytes));
}

/// The launch of kernels that take one tile a block at a time.
template <int N>
LaunchShape tile_grid(DeviceState& device, const Iteration<N>& nest, const kg::Tiles<N>& tiles) {
  return device.threads() > 0 ? element_grid(device, nest.elements(), 1) : block_grid(tiles.places.elements);
}

}  // namespace kernelgen
