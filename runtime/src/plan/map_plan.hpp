#pragma once
#include <cstddef>
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// The launch of an element-wise kernel of contiguous operands, whose GPU threads have `in_flight` packs of `pack` elements in flight,
/// or take single elements if there are few.
LaunchShape map_grid(std::int64_t elements, int pack, int in_flight, std::size_t inputs,
                     const DeviceTraits& device);

/// The same of strided operands, whose GPU threads can take `per_thread` elements at a time.
LaunchShape strided_map_grid(std::int64_t elements, int per_thread, const DeviceTraits& device);

/// An input of an element-wise operation, of the result's shape but in another order.
struct UnorderedInput {
  std::int64_t elements;
  std::size_t bytes;  ///< of an element
  bool is_alone;      ///< the only input
  bool has_result_type;
  std::int64_t row, step;  ///< extent of the result's innermost dim, and the input's stride along it
  std::int64_t distance;   ///< in the result, of neighbours in the input; 0 if no tiles read them together
};
/// Whether the input is copied in the result's order before the computation, which would access each element by itself.
bool is_worth_copying(const UnorderedInput& input, const DeviceTraits& device);
/// The minimum elements of such an input.
std::int64_t least_copied_elements(const DeviceTraits& device);

/// Minimum extent of the dims that tiles are cut along.
inline constexpr std::int64_t least_tile_extent = 16;

/// The maximum distance of neighbours, in elements, at which a tile still reads them together: on a GPU,
/// blocks in flight together share memory sectors. 0 where tiles do not pay off.
std::int64_t tile_gap(std::int64_t elements, std::size_t element_bytes, const DeviceTraits& device);

/// Side of tiles.
std::int64_t tile_side(std::size_t element_bytes, const DeviceTraits& device);

/// The launch of kernels in which each block takes one of `tiles` tiles at a time.
LaunchShape tile_grid(std::int64_t elements, std::int64_t tiles, const DeviceTraits& device);

}  // namespace kernelgen
