#include "plan/image_plan.hpp"

#include <limits>

#include "plan/grid.hpp"

namespace kernelgen {

PatchSides upsampling_patches(std::int64_t width, unsigned element_bytes, bool is_nearest,
                              const DeviceTraits& device) {
  const unsigned whole = kg::patch_columns(element_bytes);
  // A thread's elements of rows that are no multiple of 16 bytes are stored one by one. CUDA GPUs have the f64 instructions to
  // compute each one's row, so that neighbouring threads store neighbouring elements; others would wait for these.
  constexpr std::int64_t narrow = 2;
  const bool is_split = is_nearest && device.kind == DeviceKind::cuda && width > narrow && width % whole != 0;
  // Neighbouring threads store to neighbouring addresses, even if a row is no longer than a patch.
  return {is_split ? 1 : whole, width <= whole ? 1 : kg::most_patch_rows,
          std::numeric_limits<unsigned>::max()};
}

PatchPlan plan_patches(const kg::ImagePiece& piece, const PatchSides& most, const DeviceTraits& device) {
  constexpr std::int64_t patches_a_cpu_thread = 16;
  const std::int64_t enough =
      device.on_cpu() ? device.threads * patches_a_cpu_thread : device.resident_threads();
  const unsigned columns = device.on_cpu() ? kg::cpu_patch_columns : most.gpu_columns;
  const unsigned across = quotient_up(piece.columns.extent, columns);
  const unsigned lines = piece.elements / piece.columns.extent;
  unsigned rows = std::min(device.on_cpu() ? most.cpu_rows : most.gpu_rows, piece.rows.extent);
  while (rows > 1 && std::int64_t{across} * lines / rows < enough) rows /= 2;
  if (most.at_once && rows < most.gpu_rows) rows = 1;
  return {across, quotient_up(piece.rows.extent, rows), rows};
}

LaunchShape patch_grid(const kg::ImagePatches& patches, const DeviceTraits& device) {
  return device.on_cpu() ? element_grid(patches.piece.elements, 1, device) : group_grid(patches.patches, 1);
}

}  // namespace kernelgen
