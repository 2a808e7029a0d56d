#pragma once
#include <vector>

#include "emit/string_table.hpp"
#include "kernelgen/package_format.h"
#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// The records of kernels that packages and registries have.
struct KernelTables {
  StringTable strings;
  std::vector<kernelgen_module_record> modules;
  std::vector<kernelgen_kernel_record> kernels;
  std::vector<kernelgen_argument_record> arguments;  ///< each list once: most kernels of a form have the same
};

KernelTables make_kernel_tables(const KernelSet& set);

}  // namespace kernelgen::tool
