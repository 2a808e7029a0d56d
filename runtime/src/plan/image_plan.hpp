#pragma once
#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"
#include "plan/image.hpp"

namespace kernelgen {

/// Sides of patches: columns and maximum rows on a GPU, maximum rows on a CPU; and whether a GPU's threads compute either one row
/// or gpu_rows, all at once.
struct PatchSides {
  unsigned gpu_columns, gpu_rows, cpu_rows;
  bool at_once = false;
};

/// Those of upsampling to rows of `width` elements.
PatchSides upsampling_patches(std::int64_t width, unsigned element_bytes, bool is_nearest,
                              const DeviceTraits& device);

/// Patches per row and per column of a plane, and rows of a patch.
struct PatchPlan {
  unsigned across, down, rows;
};
/// Patches with as many rows as leave enough patches for the device.
PatchPlan plan_patches(const kg::ImagePiece& piece, const PatchSides& most, const DeviceTraits& device);

/// The launch of kernels that take one patch per thread at a time.
LaunchShape patch_grid(const kg::ImagePatches& patches, const DeviceTraits& device);

}  // namespace kernelgen
