#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "kernelgen/ops.hpp"
#include "ops/iteration.hpp"
#include "ops/traits.hpp"
#include "plan/image.hpp"
#include "plan/image_plan.hpp"

namespace kernelgen {

/// Throws Error, naming the operation, unless x is an image with that many spatial dims.
void check_image(std::string_view operation, const Tensor& x, std::size_t axes);
/// Throws Error if the extent of a spatial dim, named `what`, exceeds the kernels' index range.
void check_extent(std::string_view operation, std::string_view what, std::int64_t extent);
/// Throws Error if a count or step, named `what`, is below 1.
void check_positive(std::string_view operation, std::string_view what, std::int64_t value);

/// Calls f(piece, plane, first) for pieces of a contiguous result that fit a launch: the kernel's argument,
/// the index of the piece's first plane and of its first element. Almost always one piece.
template <class F>
void for_each_image_piece(std::int64_t planes, std::int64_t rows, std::int64_t columns, F f) {
  const auto piece = [&](std::int64_t row, std::int64_t row_count, std::int64_t plane_count) {
    return kg::ImagePiece{divisor(static_cast<unsigned>(columns)), divisor(static_cast<unsigned>(row_count)),
                          static_cast<unsigned>(plane_count * row_count * columns),
                          static_cast<unsigned>(row)};
  };
  const std::int64_t plane_step = launch_limit / (rows * columns), row_step = launch_limit / columns;
  if (plane_step > 0)
    for (std::int64_t plane = 0; plane < planes; plane += plane_step)
      f(piece(0, rows, std::min(plane_step, planes - plane)), plane, plane * rows * columns);
  else
    for (std::int64_t plane = 0; plane < planes; ++plane)
      for (std::int64_t row = 0; row < rows; row += row_step)
        f(piece(row, std::min(row_step, rows - row), 1), plane, (plane * rows + row) * columns);
}

/// The piece cut into patches for the device.
kg::ImagePatches cut_image(const kg::ImagePiece& piece, const PatchSides& most, const DeviceTraits& device);

}  // namespace kernelgen
