#pragma once
#include <span>
#include <string>
#include <vector>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// Which kernels of the manifests a build takes. An empty list takes all.
struct Filter {
  std::vector<std::string>
      operations;                   ///< globs over operations' names, for kernels without one over their own
  std::vector<std::string> dtypes;  ///< globs; every type of a kernel must match one

  /// Reads --only texts: "op=exp,add" and "dtype=f32", also both in one ("op=exp,dtype=f32"). Throws
  /// BadInput.
  static Filter parse(std::span<const std::string> texts);
  bool empty() const { return operations.empty() && dtypes.empty(); }
};

/// The set with only the kernels that match, ids dense again; modules and operations without any are left
/// out. A dtype matches its raw type too (f32 takes b32). Throws BadInput for a pattern that matches no
/// operation or no element type, with the nearest name, and when nothing is left.
KernelSet apply(const Filter& filter, const KernelSet& set);

}  // namespace kernelgen::tool
