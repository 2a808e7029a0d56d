#include "plan/map_plan.hpp"

#include "plan/grid.hpp"

namespace kernelgen {

LaunchShape map_grid(std::int64_t elements, int pack, int in_flight, std::size_t inputs,
                     const DeviceTraits& device) {
  // Of fewer elements, packs cost more to fetch than the blocks that they save take to start.
  const std::int64_t least = device.per_unit(inputs > 2 ? 64 : 256);
  // As long as all threads are resident, none takes two packs one after the other.
  const bool is_resident = elements <= device.resident_threads() * pack;
  return element_grid(elements, elements <= least ? 1 : is_resident ? in_flight * pack : 2 * pack, device);
}

LaunchShape strided_map_grid(std::int64_t elements, int per_thread, const DeviceTraits& device) {
  return element_grid(elements, elements <= device.resident_threads() ? 1 : per_thread, device);
}

std::int64_t least_copied_elements(const DeviceTraits& device) {
  // For fewer, another launch takes a GPU longer than what it saves.
  return device.on_cpu() ? cpu_grain : 1 << 20;
}

bool is_worth_copying(const UnorderedInput& input, const DeviceTraits& device) {
  if (input.elements < least_copied_elements(device)) return false;
  if (device.on_cpu()) {
    constexpr std::int64_t worth_a_loop = 256;  // shorter rows are gathered by the kernel
    // More memory than the result's would cost what the vectors save, unless cache lines are read once for it.
    const bool is_strided = input.has_result_type && input.step != 0 && input.step != 1;
    return input.is_alone && (input.distance > 0 || (is_strided && input.row >= worth_a_loop));
  }
  // A GPU reads 32 bytes for each element; after few other elements, these are still in the L1 when the next one is read.
  constexpr std::int64_t forgotten = 1024;
  constexpr std::size_t most_bytes = 4;
  return input.bytes <= most_bytes && input.distance >= forgotten;
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
