#pragma once
#include "code_object/code_object.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {

/// Reads an AMD GPU's code object: versions 3 to 6 from the NT_AMDGPU_METADATA note, version 2 by read_hsaco_v2()
/// (https://llvm.org/docs/AMDGPUUsage.html#code-object-metadata). Throws BadCodeObject.
CodeObject read_hsaco(const ElfImage& image);

}  // namespace kernelgen::tool
