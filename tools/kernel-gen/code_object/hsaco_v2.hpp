#pragma once
#include "code_object/code_object.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {

/// Reads an AMD GPU's code object of version 2 (before ROCm 3.5): a kernel is a symbol at an amd_kernel_code_t, which has its
/// registers and memory. Arguments are in metadata of another format, which is not read. Throws BadCodeObject.
CodeObject read_hsaco_v2(const ElfImage& image);

}  // namespace kernelgen::tool
