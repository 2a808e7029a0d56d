#pragma once
#include <string_view>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// Maximum number of kernels compiled in one module.
inline constexpr std::uint32_t max_part_kernels = 20;

/// The same kernels in the modules that a package has: a manifest's module is cut into one for each operation, and
/// operations into as few as max_part_kernels allows, of about one size. An edited operation is then compiled alone, and
/// loaded alone. Kernels by name stay together: programs may ask for the module they know them by. A module that stays
/// whole keeps its name; "reduce.sum" and "cast.2" are parts.
KernelSet in_parts(const KernelSet& set);

/// The module of the first kernel that an operation without kernels of its own launches.
std::uint32_t module_of_kernels(const KernelSet& set, const Operation& operation);

/// Whether a package's module is the manifests' module of that name, or a part of it.
bool is_part_of(std::string_view part, std::string_view module);

}  // namespace kernelgen::tool
