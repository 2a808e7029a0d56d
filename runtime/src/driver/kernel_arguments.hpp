#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kernelgen/kernel_argument.hpp"

namespace kernelgen {

/// The arguments that a kernel's source gives it, as the metadata of an AMD code object (version 3 and later, NT_AMDGPU_METADATA)
/// says. Nothing where the code is no such object, has no such kernel, or says it in another way.
std::optional<std::vector<KernelArgument>> code_object_arguments(std::span<const std::byte> code,
                                                                 std::string_view kernel);

}  // namespace kernelgen
