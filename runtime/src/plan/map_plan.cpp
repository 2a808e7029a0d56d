#include "plan/map_plan.hpp"

#include "plan/grid.hpp"

namespace kernelgen {

LaunchShape map_grid(std::int64_t elements, int per_thread, const DeviceTraits& device) {
  return element_grid(elements, elements <= device.resident_threads() ? 1 : per_thread, device);
}

std::int64_t tile_gap(std::int64_t elements, std::size_t element_bytes, const DeviceTraits& device) {
  constexpr std::int64_t sector = 32;
  if (device.on_cpu()) return 1;
  // With a thread per element, strided reads take less time than a tile's two passes.
  if (elements < device.resident_threads()) return 0;
  return sector / static_cast<std::int64_t>(element_bytes);
}

std::int64_t tile_side(std::size_t element_bytes, const DeviceTraits& device) {
  return device.on_cpu() ? kg::cpu_tile_side : kg::tile_side(static_cast<unsigned>(element_bytes));
}

LaunchShape tile_grid(std::int64_t elements, std::int64_t tiles, const DeviceTraits& device) {
  return device.on_cpu() ? element_grid(elements, 1, device) : block_grid(tiles);
}

}  // namespace kernelgen
