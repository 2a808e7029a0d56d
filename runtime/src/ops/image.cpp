#include "ops/image.hpp"

#include "common/format.hpp"

#include "ops/output.hpp"

namespace kernelgen {

void check_image(std::string_view operation, const Tensor& x, std::size_t axes) {
  if (!x) invalid(formatted("{}: the input is a default-constructed Tensor", operation));
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

kg::ImagePatches cut_image(const kg::ImagePiece& piece, const PatchSides& most, const DeviceTraits& device) {
  const PatchPlan plan = plan_patches(piece, most, device);
  const unsigned planes = piece.elements / piece.columns.extent / piece.rows.extent;
  return {piece, divisor(plan.across), divisor(plan.down), plan.across * plan.down * planes, plan.rows};
}

}  // namespace kernelgen
