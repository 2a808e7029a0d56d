#pragma once
#include <string>
#include <vector>

#include "base/fault.hpp"
#include "manifest/kernel.hpp"
#include "manifest/kernel_owner.hpp"

namespace kernelgen::tool {

/// A variant of an operation whose kernel belongs to other types or to another operation.
struct SharedVariant {
  std::size_t operation, variant;
  std::vector<ElementCode> types;
  KernelOwner owner;
  std::string file;
  std::vector<Argument> arguments;  ///< that the kernel must take; empty: any
};

/// Finds the kernels of such variants, once all operations are known.
class SharedKernels {
 public:
  void add(SharedVariant variant) { variants_.push_back(std::move(variant)); }
  /// Writes the kernels' ids into the operations. Adds one fault for each invalid owner.
  void resolve(KernelSet& set, Faults& faults);

 private:
  const SharedVariant* find(std::size_t operation, std::size_t variant) const;
  /// Returns what is wrong with the owner, or an empty text.
  std::string resolve(KernelSet& set, const SharedVariant& shared) const;

  std::vector<SharedVariant> variants_;
};

}  // namespace kernelgen::tool
