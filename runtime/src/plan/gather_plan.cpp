#include "plan/gather_plan.hpp"

#include "plan/grid.hpp"
#include "plan/span.hpp"

namespace kernelgen {
namespace {

/// Minimum bytes of a contiguous span that a GPU copies as a unit, and the bytes a thread group takes at a
/// time.
constexpr std::int64_t worth_a_span = 32, part_bytes = 16 * 1024;
/// Minimum threads per part, to fill a memory access, even if each has fewer loads in flight than possible.
constexpr std::uint32_t fewest_threads = 8;
/// Columns per block where rows share their indices, which equals the loads that its threads keep in flight.
constexpr std::int64_t tile_columns = std::int64_t{4} * kg::block_threads;
/// The maximum number of rows per thread where rows share their indices, and of columns where they do not.
constexpr std::int64_t most_rows = 256, most_columns = 32;

}  // namespace

bool are_spans_worth_copying(std::int64_t length, unsigned element_bytes, const DeviceTraits& device) {
  return device.on_cpu() ? length > 1 : length * element_bytes >= worth_a_span;
}

GatherSpansPlan plan_gather_spans(std::int64_t elements, std::int64_t length, unsigned element_bytes,
                                  const DeviceTraits& device) {
  const std::int64_t pack = kg::access_elements(element_bytes);
  // With little work, each thread makes one access.
  const bool is_little = !device.on_cpu() && elements / pack < device.resident_threads();
  const std::int64_t part =
      std::min(length, is_little ? pack * kg::block_threads : part_bytes / element_bytes);
  const auto accesses = std::bit_ceil(static_cast<std::uint32_t>(quotient_up(part, pack)));
  const std::uint32_t fewest = is_little ? accesses : std::min(accesses, fewest_threads);
  return {part, std::min(std::max(accesses / kg::copies_in_flight, fewest), kg::block_threads)};
}

LaunchShape GatherSpansPlan::shape(std::int64_t spans, std::int64_t length,
                                   const DeviceTraits& device) const {
  return element_grid(spans * (device.on_cpu() ? length : quotient_up(length, part) * threads), 1, device);
}

bool are_indices_worth_sharing(std::int64_t rows, std::int64_t columns, const DeviceTraits& device) {
  constexpr std::int64_t limit = (std::int64_t{1} << 31) - 1;
  return !device.on_cpu() && rows > 1 && rows <= limit && columns <= limit &&
         rows * columns > device.resident_threads();
}

GatherElementsPlan plan_gather_elements(std::int64_t columns, std::int64_t rows, const DeviceTraits& device) {
  if (rows == 1) {
    const std::int64_t each = std::clamp<std::int64_t>(columns / device.resident_threads(), 1, most_columns),
                       across = quotient_up(columns, kg::block_threads * each);
    return {static_cast<std::uint32_t>(quotient_up(columns, across)), 1,
            device.on_cpu() ? element_grid(columns, 1, device) : block_grid(across, block_of(columns))};
  }
  // Neighbouring columns read the same part of x, so a block that takes many of them hits in its cache.
  const std::int64_t across = quotient_up<std::int64_t>(columns, kg::block_threads),
                     width = quotient_up(columns, across), at_once = kg::block_threads / width,
                     each =
                         std::clamp<std::int64_t>(rows * columns / device.resident_threads(), 1, most_rows),
                     height = std::min(rows, at_once * each);
  return {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height),
          block_grid(across * quotient_up(rows, height), block_of(width * std::min(at_once, rows)))};
}

}  // namespace kernelgen
