#pragma once
#include <cstddef>
#include <vector>

#include "build/package_writer.hpp"
#include "build/packing.hpp"
#include "kernelgen/package_format.h"

namespace kernelgen::tool {

/// The code of a package as stored blobs, and the offset of each object in them.
struct BlobPlan {
  std::vector<Blob> blobs;                       ///< each bytes once
  std::vector<kernelgen_object_record> objects;  ///< of each target, one a module
};

/// Maximum bytes of a blob, unless one object is larger: with their references they are decoded in less time
/// than a first launch may take.
inline constexpr std::size_t max_group_bytes = std::size_t{2} << 20;

/// The same where all of a target's code is in one blob: half of what readers accept.
inline constexpr std::size_t max_solid_bytes = KERNELGEN_MAX_BLOB_BYTES / 2;

/// A blob an object; or one for the objects of a manifest's neighbouring modules on a target, as what is compiled in parts
/// has much in common; or one for all of a target's.
BlobPlan plan_blobs(const KernelSet& set, const std::vector<BuiltTarget>& targets, Grouping grouping);

}  // namespace kernelgen::tool
