#pragma once
#include <functional>
#include <string>

#include "manifest/kernel.hpp"

namespace kernelgen::tool {

/// Whether the library's functions of the operation, in C++ and in C, are generated from its manifest.
bool has_functions(const KernelSet& set, const Operation& operation);

/// operations.inc: a line KERNELGEN_OPERATION(name) for each operation, for a reader that defines the macro.
std::string emit_operations(const KernelSet& set);
/// functions.inc: a line KERNELGEN_FUNCTION(name) for each operation that has functions.
std::string emit_function_names(const KernelSet& set);

/// Concatenates, for each module that has functions, heading(module) and function(operation) for each of its operations.
std::string each_function(const KernelSet& set, const std::function<std::string(const Module&)>& heading,
                          const std::function<std::string(const Operation&)>& function);

}  // namespace kernelgen::tool
