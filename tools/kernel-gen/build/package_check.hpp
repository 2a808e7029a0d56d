#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernelgen/package.hpp"
#include "manifest/kernel.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// Something in a package that is not as its manifests say.
struct Finding {
  /// Index of the operation it is about; the number of operations for kernels and modules of none.
  std::size_t operation;
  std::string text;
};

/// Compares a package's tables with what the manifests make: modules, kernels, arguments, operations, operands, type
/// variables, forms and variants, whatever their order.
std::vector<Finding> check_tables(const Package& package, const KernelSet& set);

/// How a package's record of a target differs from the target's row. Empty when they agree.
std::string target_objection(const kernelgen_target_record& record, const Target& target);

}  // namespace kernelgen::tool
