#pragma once
#include <string>
#include <vector>

#include "code_object/code_object.hpp"
#include "manifest/kernel.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// What a module's code object has otherwise than the manifest says: kernels missing or too many, arguments
/// at other offsets, of other sizes or kinds, budgets exceeded, another GPU or wave size. Code of a binary
/// may have more kernels, any version, wave size and resources. Each message names
/// target and kernel, what was wanted and what was found. Empty when all is well.
std::vector<std::string> check_code_object(const CodeObject& object, const Target& target,
                                           const KernelSet& set, const Module& module);

}  // namespace kernelgen::tool
