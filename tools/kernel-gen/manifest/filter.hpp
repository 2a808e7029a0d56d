#pragma once
#include <span>
#include <string>
#include <vector>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// The kernels of the manifests that a build contains. An empty list selects all.
struct Filter {
  std::vector<std::string>
      operations;                   ///< globs of operations' names; of a kernel's name if it has no operation
  std::vector<std::string> dtypes;  ///< globs; every type of a kernel must match one

  /// Reads --only texts: "op=exp,add" and "dtype=f32", also both in one ("op=exp,dtype=f32"). Throws
  /// BadInput.
  static Filter parse(std::span<const std::string> texts);
  bool empty() const { return operations.empty() && dtypes.empty(); }
};

/// The set of the kernels that match, with new dense ids; modules and operations without kernels are left
/// out. A dtype matches its raw type too (f32 takes b32). Throws BadInput for a pattern that matches no
/// operation or no element type, with the nearest name, and when nothing is left.
KernelSet apply(const Filter& filter, const KernelSet& set);

}  // namespace kernelgen::tool
