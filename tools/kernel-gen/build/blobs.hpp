#pragma once
#include <cstddef>
#include <vector>

#include "build/package_writer.hpp"
#include "build/packing.hpp"
#include "kernelgen/package_format.h"

namespace kernelgen::tool {

/// The code of a package, as what is stored at once, and where each object lies in it.
struct BlobPlan {
  std::vector<Blob> blobs;                       ///< each bytes once
  std::vector<kernelgen_object_record> objects;  ///< of each target, one a module
};

/// No more bytes are stored at once, unless one object has more: with what they refer to they are decoded in less time
/// than a first launch may take.
inline constexpr std::size_t max_group_bytes = std::size_t{2} << 20;

/// A blob an object; or, `together`, one for the objects of a manifest's neighbouring modules on a target: what is
/// compiled in parts has much in common.
BlobPlan plan_blobs(const KernelSet& set, const std::vector<BuiltTarget>& targets, bool together);

}  // namespace kernelgen::tool
