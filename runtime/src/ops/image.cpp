#include "ops/image.hpp"

#include "common/format.hpp"

#include "ops/output.hpp"

namespace kernelgen {

void check_image(std::string_view operation, const Tensor& x, std::size_t axes) {
  if (!x) invalid(formatted("{}: the input is no tensor", operation));
  if (x.shape().size() != 2 + axes)
    invalid(formatted("{}: the input is {}; it has to be {}", operation, x.shape().to_string(),
                      axes == 1 ? "[batch, channels, length]" : "[batch, channels, height, width]"));
  for (std::size_t axis = 0; axis < axes; ++axis)
    check_extent(operation,
                 axes == 1   ? "the length"
                 : axis == 0 ? "the height"
                             : "the width",
                 x.shape()[2 + axis]);
}

void check_extent(std::string_view operation, std::string_view what, std::int64_t extent) {
  if (extent > launch_limit)
    invalid(formatted("{}: {} is {}; it has to be below 2^31", operation, what, extent));
}

void check_positive(std::string_view operation, std::string_view what, std::int64_t value) {
  if (value < 1) invalid(formatted("{}: {} is {}; it has to be at least 1", operation, what, value));
  check_extent(operation, what, value);
}

kg::ImagePatches cut_image(const DeviceState& device, const kg::ImagePiece& piece, const PatchSides& most) {
  // Resident threads of the largest GPUs, approximately.
  constexpr unsigned resident_threads = 1u << 18, patches_a_cpu_thread = 16;
  const bool on_cpu = device.threads() > 0;
  const std::uint64_t enough =
      on_cpu ? static_cast<unsigned>(device.threads()) * patches_a_cpu_thread : resident_threads;
  const unsigned columns = on_cpu ? kg::cpu_patch_columns : most.gpu_columns;
  const unsigned across = quotient_up(piece.columns.extent, columns);
  const unsigned lines = piece.elements / piece.columns.extent, planes = lines / piece.rows.extent;
  // On a GPU, neighbouring threads store to neighbouring addresses, even if a row is shorter than a patch.
  const unsigned gpu_rows = piece.columns.extent < columns ? 1 : most.gpu_rows;
  unsigned rows = on_cpu ? std::min(most.cpu_rows, piece.rows.extent) : gpu_rows;
  while (rows > 1 && std::uint64_t{across} * lines / rows < enough) rows /= 2;
  const unsigned down = quotient_up(piece.rows.extent, rows);
  return {piece, divisor(across), divisor(down), across * down * planes, rows};
}

LaunchShape patch_grid(DeviceState& device, const kg::ImagePatches& patches) {
  return device.threads() > 0 ? element_grid(device, patches.piece.elements, 1)
                              : group_grid(patches.patches, 1);
}

}  // namespace kernelgen
