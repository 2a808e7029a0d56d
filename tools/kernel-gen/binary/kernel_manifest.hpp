#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "code_object/code_object.hpp"

namespace kernelgen::tool {

/// The alignment up to 16 of an argument of these bytes that follows others which end at `end`: the largest that puts it at its offset;
/// 0 where none does.
std::uint32_t alignment_of(std::uint32_t end, std::uint32_t offset, std::uint32_t size);

/// The manifest of kernels whose code `file` holds: what a package records of them. Pointers are to bytes that the kernel may write,
/// structs are opaque. Throws BadCodeObject for a kernel with an argument that a launch cannot pass, such as an image.
std::string kernel_manifest(const std::string& module, const std::string& file,
                            const std::vector<CodeKernel>& kernels);

}  // namespace kernelgen::tool
